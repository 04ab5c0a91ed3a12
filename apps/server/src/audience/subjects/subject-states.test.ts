import { createId } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createProfile } from "../../domain/profiles/profile.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { type KnownBefore, loadSubjectStates } from "./subject-states.js";

let server: TestServer;
let sender: Sender;
let organizationId: string;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  organizationId = server.first.organization.id;
  await sender.settle([
    sender.traits({ user: { email: "ann@example.com" }, account: { domain: "acme.example" } }, { plan: "pro" }),
    sender.traits({ subject: "account", account: { domain: "acme.example" } }, { size: 50 }),
  ]);
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

const load = (wanted: Parameters<typeof loadSubjectStates>[2], known: KnownBefore["known"] = new Map()) =>
  loadSubjectStates({ ...server, maxAttributes: 1_000 }, organizationId, wanted, { known });

test("a user is loaded together with its account", async () => {
  const ann = await sender.user({ email: "ann@example.com" });
  const { states } = await load({ user: [ann.id], account: [] });
  expect(states.user.get(ann.id)).toMatchObject({ report: { traits_plan: "pro" }, segmentIds: [] });
  expect(states.account.get(String(ann.account_id))).toMatchObject({ report: { size: 50 } });
});

test("a known profile is used as it is, and its account is read", async () => {
  const ann = await sender.user({ email: "ann@example.com" });
  const known = {
    ...createProfile("user", ann.id, 0),
    accountId: String(ann.account_id),
    cells: new Map([["plan", { value: "team", written: { at: 1, source: "c" } }]]),
  };
  const { states } = await load({ user: [ann.id], account: [] }, new Map([[ann.id, known]]));
  expect(states.user.get(ann.id)?.report).toMatchObject({ traits_plan: "team", email: null });
  expect(states.account.get(String(ann.account_id))?.report).toMatchObject({ size: 50 });
});

test("a known profile that is not wanted is left out", async () => {
  const ann = await sender.user({ email: "ann@example.com" });
  const other = createProfile("user", createId("user"), 0);
  const { states } = await load({ user: [ann.id], account: [] }, new Map([[other.id, other]]));
  expect([...states.user.keys()]).toEqual([ann.id]);
});

test("only segments that exist, of the same subject type, are shown", async () => {
  const ann = await sender.user({ email: "ann@example.com" });
  const create = async (path: string) =>
    (await sender.call("POST", path, { payload: { name: `All: ${path}`, query: {}, predicate: {} } })).json<{
      id: string;
    }>().id;
  const ofUsers = await create("/users_segments");
  const ofAccounts = await create("/accounts_segments");
  // The question engine keeps the members of a deleted segment until the next sweep.
  const joined = [createId("users_segment"), ofUsers, ofAccounts];
  vi.spyOn(server.questions, "membershipsOf").mockImplementation(
    async (_organizationId, ids) =>
      new Map(ids.map((id) => [id, joined.map((segmentId) => ({ segmentId, enteredAt: "2024-01-01T00:00:00Z" }))])),
  );
  const { states } = await load({ user: [ann.id], account: [] });
  expect(states.user.get(ann.id)?.segmentIds).toEqual([ofUsers]);
  expect(states.account.get(String(ann.account_id))?.segmentIds).toEqual([ofAccounts]);
});

test("hidden attributes are left out of the report, and the definitions say that they are hidden", async () => {
  const ann = await sender.user({ email: "ann@example.com" });
  await sender.call("PUT", "/settings/user_traits/plan?visible=false");
  const { states, definitions } = await load({ user: [ann.id], account: [] });
  expect(states.user.get(ann.id)?.report).not.toHaveProperty("traits_plan");
  expect(definitions.user.get("plan")?.visible).toBe(false);
  await sender.call("PUT", "/settings/user_traits/plan?visible=true");
});

test("a merged user is loaded under the id of the user it was merged into", async () => {
  await sender.settle([
    sender.traits({ user: { anonymous_id: "cookie" } }, { visits: 1 }),
    sender.traits({ user: { external_id: "7" } }, { name: "Bob" }),
  ]);
  const former = await sender.user({ anonymous_id: "cookie" });
  await sender.settle([sender.traits({ user: { external_id: "7", anonymous_id: "cookie" } }, {})]);
  const survivor = await sender.user({ external_id: "7" });
  expect(former.id).not.toBe(survivor.id);
  const { states } = await load({ user: [former.id], account: [] });
  expect([...states.user.keys()]).toEqual([survivor.id]);
  expect(states.user.get(survivor.id)?.report).toMatchObject({ name: "Bob", traits_visits: 1 });
});
