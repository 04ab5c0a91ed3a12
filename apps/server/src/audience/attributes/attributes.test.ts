import { afterAll, beforeAll, expect, test } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestAudience, type TestAudience } from "../../testing/test-audience.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let audience: TestAudience;
let organizationId: string;
beforeAll(async () => {
  server = await openTestServer();
  audience = openTestAudience(server);
  organizationId = server.first.organization.id;
  const sender = new Sender(server);
  await sender.settle([
    sender.traits({ user: { external_id: "ann" }, account: { domain: "acme.example" } }, { plan: "pro", salary: 1 }),
    sender.traits({ subject: "account", account: { domain: "acme.example" } }, { size: 50 }),
  ]);
  await audience.attributes.put(organizationId, "user", "salary", { visible: false });
});
afterAll(() => server.close());

test("a field is found by its name with or without the prefix, and by the name of a standard field", async () => {
  const find = (name: string) => audience.attributes.findField(organizationId, "user", name);
  expect(await find("plan")).toEqual({ key: "traits_plan", type: "string" });
  expect(await find("traits_plan")).toEqual({ key: "traits_plan", type: "string" });
  expect(await find("email")).toEqual({ key: "email", type: "string" });
  expect(await find("size")).toBeUndefined();
});

test("a hidden attribute is no field, is marked in the schema and is missing in the tree", async () => {
  expect(await audience.attributes.findField(organizationId, "user", "salary")).toBeUndefined();
  const schema = await audience.attributes.schema(organizationId, "user");
  expect(schema.find(({ key }) => key === "traits_salary")).toMatchObject({ visible: false, configurable: true });
  const { tree } = await audience.attributes.tree(organizationId, "user");
  const ids = tree.flatMap(({ children }) => children.map(({ id }) => id));
  expect(ids).toEqual(expect.arrayContaining(["traits_plan", "account.size", "email"]));
  expect(ids).not.toContain("traits_salary");
});

test("a change of one flag keeps the other, and the type", async () => {
  await audience.attributes.put(organizationId, "user", "age", { type: "numeric", trackChanges: false });
  expect(await audience.attributes.put(organizationId, "user", "traits_age", { visible: false })).toMatchObject({
    name: "age",
    type: "numeric",
    visible: false,
    track_changes: false,
  });
});
