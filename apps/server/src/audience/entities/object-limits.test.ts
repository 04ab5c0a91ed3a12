import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ MAX_ENTITIES: "10" });
  sender = new Sender(server);
});
afterAll(() => server.close());

test("events create entities up to the limit of the organization, and are kept without an entity beyond it", async () => {
  const user = { external_id: "reader" };
  const read = (page: number) => sender.track({ user }, "Read", { entity_id: `page-${page}` });
  await sender.settle(Array.from({ length: 12 }, (_, page) => read(page)));
  const listed = await sender.call("GET", "/entities?per_page=100");
  expect(listed.json()).toHaveLength(10);
  expect(await sender.events({ event: "Read" })).toHaveLength(12);
  const [first, ...others] = await sender.rejected();
  expect(others).toHaveLength(1);
  expect(first?.message).toMatch(/There is no entity "page-\d+", and the organization may have no more than 10/);

  const create = () => sender.call("POST", "/app/entities", { payload: { uid: "one-more" } });
  expect((await create()).json()).toMatchObject({ error: { code: "conflict" } });
  await sender.settle([read(1)]);
  expect(await sender.rejected()).toHaveLength(2);
  const [{ id }] = listed.json<[{ id: string }]>();
  await sender.call("DELETE", `/${id}`);
  expect((await create()).statusCode).toBe(201);
});

test("events of end users create entities up to half of the limit, and act on those that exist", async () => {
  const initech = await openOrganization(server, "initech");
  const user = { external_id: "reader" };
  const readAsUser = async (page: number) => {
    const answer = await initech.callAs({ user }, "POST", "/t", {
      payload: { event: "Read", entity_id: `page-${page}` },
    });
    await initech.waitFor(String(answer.headers["svc-position"]));
  };
  for (let page = 0; page < 7; page++) await readAsUser(page);
  const count = async () => (await initech.call("GET", "/entities?per_page=100")).json().length;
  expect(await count()).toBe(5);
  expect(await initech.events({ event: "Read" })).toHaveLength(7);
  const rejected = await initech.rejected();
  expect(rejected.map(({ message }) => message)).toEqual(
    [5, 6].map((page) =>
      expect.stringContaining(`There is no entity "page-${page}", and events of end users create none`),
    ),
  );
  await initech.settle([initech.track({ user }, "Read", { entity_id: "page-5" })]);
  await readAsUser(5);
  expect(await count()).toBe(6);
  expect(await initech.rejected()).toHaveLength(2);
});

test("comments are refused beyond the limit, and only in the organization that has reached it", async () => {
  const comment = async (one: Sender) => {
    const { id } = await one.user({ external_id: "ann" });
    return one.call("POST", `/${id}/comments`, { payload: { text: "hello" } });
  };
  const globex = await openOrganization(server, "globex");
  for (const one of [sender, globex]) await one.settle([one.traits({ user: { external_id: "ann" } }, {})]);
  for (let made = 0; made < 10; made++) expect((await comment(sender)).statusCode).toBe(201);
  expect((await comment(sender)).json()).toMatchObject({ error: { code: "conflict" } });
  expect((await comment(globex)).statusCode).toBe(201);
  await sender.settle([sender.entry("incinerate", { user: { external_id: "ann" } }, {})]);
  await sender.settle([sender.traits({ user: { external_id: "ann" } }, {})]);
  expect((await comment(sender)).statusCode).toBe(201);
});
