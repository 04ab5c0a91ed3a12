import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const get = (path: string, position: string) => sender.call("GET", path, { headers: { "Svc-Wait-For": position } });

test("a reader that names a position sees what was written there, in the profile and in the events", async () => {
  for (let round = 1; round <= 10; round++) {
    const user = { external_id: `reader-${round}` };
    const { position } = await sender.send([sender.traits({ user }, { round }), sender.track({ user }, "Written")]);
    const token = { "Svc-Access-Token": sender.token({ user }), "Svc-Wait-For": position };
    const me = await server.app.inject({ url: "/api/v1/me", headers: token });
    expect(me.json()).toMatchObject({ extra: { round }, stats: { actions: { Written: 1 } } });
  }
});

test("a reader does not wait for a position that was reached long ago", async () => {
  await sender.settle([sender.traits({ user: { external_id: "early" } }, {})]);
  // Every look asks the question engine how far it is. The relay asks once too before it rests.
  const looks = vi.spyOn(server.questions, "progress");
  onTestFinished(() => looks.mockRestore());
  expect((await get("/org", "l1")).statusCode).toBe(200);
  expect(looks.mock.calls.length).toBeLessThanOrEqual(2);
});

test.each(["", "x1", "l", "l-1", "l1.", "l1,a1", "9".repeat(30), `l${"9".repeat(20)}`])(
  "a header that is not a position is refused: %j",
  async (position) => {
    const answer = await get("/org", position);
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_parameter"]);
  },
);

test("a position at which nothing was written is refused at once", async () => {
  const answer = await get("/org", "l999999999");
  expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_parameter"]);
});

test("a reader without credentials does not wait", async () => {
  const headers = { "Svc-Wait-For": "l1", "Svc-Organization": "default" };
  const answer = await server.app.inject({ url: "/api/v1/me", headers });
  expect([answer.statusCode, answer.json().error.code]).toEqual([401, "unauthorized"]);
});

test("many readers wait with one look at a time, and the end users among them leave room for connectors", async () => {
  const user = { external_id: "waiting" };
  const { position } = await sender.settle([sender.traits({ user }, {})]);
  // The question engine says that it is behind until the test lets it go on.
  const progress = await server.questions.progress(server.first.organization.id);
  const looks = vi.spyOn(server.questions, "progress").mockResolvedValue({ ...progress, sequence: 0 });
  onTestFinished(() => looks.mockRestore());
  const asUser = { "Svc-Access-Token": sender.token({ user }), "Svc-Wait-For": position };
  const readers = Array.from({ length: 150 }, () => server.app.inject({ url: "/api/v1/me", headers: asUser }));
  const refused: Awaited<(typeof readers)[number]>[] = [];
  for (const reader of readers) void reader.then((answer) => answer.statusCode === 429 && refused.push(answer));
  await vi.waitFor(() => expect(refused).toHaveLength(50), { timeout: 10_000 });
  expect(refused[0]?.headers["retry-after"]).toBe("1");
  expect(refused[0]?.json().error.code).toBe("too_many_requests");
  const connector = get("/org", position);
  await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(2), { timeout: 10_000 });
  expect(looks.mock.calls.length).toBeLessThan(50);
  looks.mockRestore();
  expect((await connector).statusCode).toBe(200);
  const answers = await Promise.all(readers);
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(100);
});

test("sign-ins wait too, so only so many of end users wait at a time", async () => {
  const progress = await server.questions.progress(server.first.organization.id);
  const looks = vi.spyOn(server.questions, "progress").mockResolvedValue({ ...progress, sequence: 0 });
  onTestFinished(() => looks.mockRestore());
  const payload = { access_token: sender.token({ user: { external_id: "waiting" } }) };
  let refused = 0;
  const signIns = Array.from({ length: 120 }, async () => {
    const { statusCode } = await server.app.inject({ method: "POST", url: "/api/v1/users/login", payload });
    if (statusCode === 429) refused++;
    return statusCode;
  });
  await vi.waitFor(() => expect(refused).toBe(20), { timeout: 10_000 });
  looks.mockRestore();
  expect((await Promise.all(signIns)).filter((status) => status === 200)).toHaveLength(100);
});

test("routes without credentials do not wait, and neither do unknown routes", async () => {
  const status = async (url: string, position: string) =>
    (await server.app.inject({ url, headers: { "Svc-Wait-For": position } })).statusCode;
  expect(await status("/healthz", "nonsense")).toBe(200);
  expect(await status("/nowhere", "nonsense")).toBe(404);
  expect(await status("/nowhere", "l999")).toBe(404);
});
