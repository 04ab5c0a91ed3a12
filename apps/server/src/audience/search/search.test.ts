import { createId } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
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
    sender.traits(
      { user: { email: "ann@example.com" }, account: { domain: "acme.example" } },
      { plan: "pro", "a.b": 1, aXb: 2 },
    ),
    sender.traits({ user: { email: "bob@example.com" } }, { plan: "free" }),
  ]);
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

const REQUEST = { query: { term: { email: "ann@example.com" } }, sort: { email: "asc" }, page: 1, perPage: 10 };
const search = (changes: object = {}) => audience.search.search(organizationId, "user", { ...REQUEST, ...changes });

test("the ids of deleted segments are left out of users and of their accounts", async () => {
  const definition = (name: string) => ({ name, query: {}, predicate: {} });
  const ofUsers = await audience.segments.create(organizationId, "user", definition("All users"), { who: "a test" });
  const ofAccounts = await audience.segments.create(organizationId, "account", definition("All accounts"), {
    who: "a test",
  });
  const deleted = createId("users_segment");
  // The question engine keeps the members of a deleted segment until the next sweep.
  const page = server.questions.page.bind(server.questions);
  vi.spyOn(server.questions, "page").mockImplementation(async (...args) =>
    (await page(...args)).map((row) => ({
      ...row,
      segmentIds: [deleted, ofUsers.id],
      account: row.account && { ...row.account, segmentIds: [ofAccounts.id, deleted] },
    })),
  );
  const { data } = await search();
  expect(data).toMatchObject([{ segment_ids: [ofUsers.id], account: { segment_ids: [ofAccounts.id] } }]);
});

test("a field name with characters of regular expressions selects only that field", async () => {
  const { data } = await search({ include: ["traits_a.b"] });
  expect(Object.keys(data[0] ?? {}).sort()).toEqual(["id", "traits_a.b"]);
});

test("a sample has the number of all subjects that match, and only as many of them as requested", async () => {
  const { count, sample } = await audience.search.sample(organizationId, "user", {}, 1);
  expect([count, sample.length]).toEqual([2, 1]);
});

test("a search without rows does not read a page", async () => {
  const page = vi.spyOn(server.questions, "page");
  expect(await search({ perPage: 0 })).toMatchObject({ data: [], pagination: { total: 1, pages: 0 } });
  expect(page).not.toHaveBeenCalled();
});
