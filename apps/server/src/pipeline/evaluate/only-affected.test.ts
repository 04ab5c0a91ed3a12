// @module-tag long
import type { SubjectType } from "@muster/protocol";
import { parse } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { listSegments } from "../../storage/postgres/segments/segments.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let organizationId: string;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  organizationId = server.first.organization.id;
  for (const name of ["plan", "city"]) await sender.call("PUT", `/settings/user_traits/${name}?type=string`);
  for (const name of ["score"]) await sender.call("PUT", `/settings/user_traits/${name}?type=numeric`);
  for (const name of ["tier"]) await sender.call("PUT", `/settings/account_traits/${name}?type=string`);
  await createSegments();
});
afterAll(() => server.close());

const did = (query: object, counts: object = {}) => ({ has_child: { type: "event", query, ...counts } });
const isPro = { term: { plan: "pro" } };

/** Segments about everything that a change can be about. */
async function createSegments(): Promise<void> {
  let created = 0;
  const create = async (path: string, query: object) => {
    const answer = await sender.call("POST", path, { payload: { name: `Segment ${created++}`, query, predicate: {} } });
    expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
    return answer.json<{ id: string }>().id;
  };
  const gold = await create("/accounts_segments", { term: { tier: "gold" } });
  await create("/accounts_segments", did({ term: { event: "Order" } }, { min_children: 2 }));
  await create("/accounts_segments", { missing: { field: "name" } });
  const pros = await create("/users_segments", isPro);
  await create("/users_segments", { bool: { must_not: isPro } });
  await create("/users_segments", { range: { score: { gte: 3 } } });
  await create("/users_segments", { exists: { field: "email" } });
  await create("/users_segments", { exists: { field: "anonymous_ids" } });
  await create("/users_segments", { exists: { field: "last_seen_at" } });
  await create("/users_segments", did({ term: { event: "Order" } }));
  await create("/users_segments", did({ term: { event: "Order" } }, { min_children: 0, max_children: 1 }));
  await create("/users_segments", did({ term: { "properties.size": "big" } }));
  await create("/users_segments", did({}, { min_children: 3 }));
  await create("/users_segments", { term: { "account.tier": "gold" } });
  await create("/users_segments", { bool: { must: [isPro, { missing: { field: "account.id" } }] } });
  await create("/users_segments", { term: { "account.segment_ids": gold } });
  const inPros = await create("/users_segments", { term: { segment_ids: pros } });
  await create("/users_segments", { bool: { must_not: { term: { segment_ids: inPros } } } });
  await create("/users_segments", did({ term: { event: "Entered segment" } }, { min_children: 4 }));
  await create(
    "/users_segments",
    did({ bool: { must: [{ term: { event: "Left segment" } }, { term: { "properties.segment_id": pros } }] } }),
  );
  await vi.waitFor(
    async () => {
      const segments = await listSegments(server.database, organizationId);
      expect(segments.filter(({ revision, evaluatedRevision }) => evaluatedRevision < revision)).toEqual([]);
    },
    { timeout: 60_000, interval: 50 },
  );
}

const wrong = new Set<string>();

/** What a scan of all subjects would still move. */
async function wrongMemberships(target: SubjectType) {
  const segments = (await listSegments(server.database, organizationId, target)).map(({ id, query }) => ({
    id,
    query: parse(query, { target }),
  }));
  const reading = {
    target,
    attributeTypes: await loadAttributeTypes(server.database, organizationId),
    now: new Date(),
  };
  const found = await server.questions.changesOfSegments(organizationId, segments, { limit: 100 }, reading);
  const queries = new Map(segments.map(({ id, query }) => [id, JSON.stringify(query)]));
  // What an earlier round has left behind says nothing about this one.
  const fresh = found.filter(({ id }) => !wrong.has(id));
  for (const { id } of found) wrong.add(id);
  return fresh.map(({ id, entered, left }) => ({
    id,
    entered: entered.map((segment) => queries.get(segment)),
    left: left.map((segment) => queries.get(segment)),
  }));
}

const who = fc.constantFrom("ann", "bob", "cat", "dan");
const company = fc.constantFrom("acme", "globex");
const operation = fc.oneof(
  fc.record({
    does: fc.constant("traits" as const),
    who,
    plan: fc.constantFrom("pro", "free", null),
    score: fc.integer({ min: 0, max: 5 }),
  }),
  fc.record({ does: fc.constant("city" as const), who, city: fc.string() }),
  fc.record({ does: fc.constant("email" as const), who }),
  fc.record({
    does: fc.constant("track" as const),
    who,
    event: fc.constantFrom("Order", "Visit"),
    size: fc.constantFrom("big", "small"),
    key: fc.option(fc.integer({ min: 0, max: 3 })),
  }),
  fc.record({ does: fc.constant("link" as const), who, company }),
  fc.record({ does: fc.constant("account" as const), company, tier: fc.constantFrom("gold", "tin") }),
  fc.record({ does: fc.constant("alias" as const), who, other: who }),
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

let round = 0;

function entryOf(step: Operation) {
  const user = (name: string) => ({ user: { external_id: `${name}-${round}` } });
  const account = (name: string) => ({ account: { external_id: `${name}-${round}` } });
  switch (step.does) {
    case "traits":
      return sender.traits(user(step.who), { plan: step.plan, score: step.score });
    case "city":
      return sender.traits(user(step.who), { city: step.city });
    case "email":
      return sender.traits(user(step.who), { email: `${step.who}-${round}@example.com` });
    case "track":
      return sender.track(user(step.who), step.event, {
        properties: { size: step.size },
        ...(step.key === null ? {} : { event_id: `key-${round}-${step.key}` }),
      });
    case "link":
      return sender.traits({ ...user(step.who), ...account(step.company), subject: "account" }, {});
    case "account":
      return sender.traits(account(step.company), { tier: step.tier });
    case "alias":
      return sender.entry("alias", user(step.who), { anonymous_id: `browser-${round}-${step.other}` });
  }
}

test("after any records, a scan of everybody finds nobody who is in a wrong segment", {
  timeout: sized(120_000, 600_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
      async (batches) => {
        round += 1;
        for (const batch of batches) await sender.settle(batch.map(entryOf));
        const found = { account: await wrongMemberships("account"), user: await wrongMemberships("user") };
        expect(found).toEqual({ account: [], user: [] });
      },
    ),
    { numRuns: sized(12, 100) },
  );
});
