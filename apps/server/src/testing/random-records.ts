import type { AccountClaims, BatchEntry, UserClaims } from "@muster/protocol";
import fc from "fast-check";
import type { Sender } from "./sender.js";

/** A generated record. `entryOf` makes an entry of it, with identifiers of one world. */
export type RandomRecord =
  | { type: "traits"; user: UserClaims; account?: AccountClaims; body: Record<string, unknown> }
  | { type: "account"; account: AccountClaims; body: Record<string, unknown> }
  | { type: "track"; user: UserClaims; body: { event: string } & Record<string, unknown> }
  | { type: "alias"; user: UserClaims; body: { anonymous_id: string } };

const PEOPLE = ["ann", "bob", "cay"];

/** The identifiers of one person. Two people share none, and nobody has two identifiers of a kind that allows one. */
const identifiersOf = (person: string): Required<Omit<UserClaims, "id" | "domain">>[] =>
  ["phone", "laptop"].map((device) => ({
    external_id: person,
    email: `${person}@example.com`,
    anonymous_id: `${person}-${device}`,
  }));

const user: fc.Arbitrary<UserClaims> = fc
  .constantFrom(...PEOPLE)
  .chain((person) => fc.constantFrom(...identifiersOf(person)))
  .chain((all) => fc.subarray(Object.entries(all), { minLength: 1 }))
  .map((some) => Object.fromEntries(some));

const account: fc.Arbitrary<AccountClaims> = fc.constantFrom({ domain: "acme.example" }, { domain: "globex.example" });

const values: Record<string, fc.Arbitrary<unknown>> = {
  plan: fc.constantFrom("free", "pro", "42"),
  age: fc.integer({ min: 0, max: 99 }),
  vip: fc.boolean(),
  trial_ends_at: fc.constantFrom("2026-01-01", "2026-02-03T04:05:06+02:00"),
  tags: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
  "crm/stage": fc.constantFrom("lead", "won"),
  name: fc.constantFrom("Ann", "Bob"),
};

const attributes = fc
  .record(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.option(value)])), {
    requiredKeys: [],
  })
  .map((body): Record<string, unknown> => ({ ...body }));

/** Only `set` operations, some of which set null. */
const traits: fc.Arbitrary<RandomRecord> = fc
  .record({ user, account: fc.option(account, { nil: undefined }), body: attributes })
  .map(({ user, account, body }) => ({ type: "traits", user, ...(account ? { account } : {}), body }));

const accountTraits: fc.Arbitrary<RandomRecord> = fc
  .record({ account, body: attributes })
  .map(({ account, body: { name, plan } }) => ({ type: "account", account, body: { name, plan } }));

const track = (eventId: fc.Arbitrary<string | undefined>): fc.Arbitrary<RandomRecord> =>
  fc
    .record({
      user,
      event: fc.constantFrom("Opened", "Closed"),
      event_id: eventId,
      created_at: fc.option(fc.constantFrom("2025-01-01T00:00:00Z", 1_750_000_000), { nil: undefined }),
      ip: fc.constantFrom(undefined, null, "8.8.8.8", "9.9.9.9"),
      session_id: fc.constantFrom(undefined, "s1", "s2"),
      properties: fc.record({ n: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: [] }).map((one) => ({ ...one })),
    })
    .map(({ user, ...body }) => ({ type: "track", user, body }));

const alias: fc.Arbitrary<RandomRecord> = fc
  .constantFrom(...PEOPLE)
  .chain((person) => fc.constantFrom(...identifiersOf(person)))
  .map(({ external_id, anonymous_id }) => ({ type: "alias", user: { external_id }, body: { anonymous_id } }));

const givenId = fc.constantFrom("e1", "e2", "e3");

/** Records of every kind. Some events have an id, some have none. */
export const anyRecord = fc.oneof(traits, accountTraits, track(givenId), track(fc.constant(undefined)), alias);

/** Records whose meaning does not depend on their batch: all events have an id. */
export const rebatchableRecord = fc.oneof(traits, accountTraits, track(givenId), alias);

/** Records that only connect identifiers. */
export const identityRecord: fc.Arbitrary<RandomRecord> = fc.oneof(
  user.map((claims): RandomRecord => ({ type: "traits", user: claims, body: {} })),
  alias,
);

// Far in the past, so that no record is in the future and no clock is corrected.
const START = Date.parse("2026-01-01T00:00:00Z");

export interface TimedRecord {
  record: RandomRecord;
  /** The time of the record, in seconds after the start. No two records have the same. */
  second: number;
}

/** The entry of a record, with the name of the world before its identifiers and event ids. */
export function entryOf(sender: Sender, world: string, { record, second }: TimedRecord): BatchEntry {
  const at = new Date(START + second * 1_000);
  const own = <Claims extends object>(claims: Claims) =>
    Object.fromEntries(Object.entries(claims).map(([kind, value]) => [kind, `${world}.${value}`])) as Claims;
  switch (record.type) {
    case "traits": {
      const { user, account, body } = record;
      return sender.traits({ user: own(user), ...(account ? { account: own(account) } : {}) }, body, at);
    }
    case "account":
      return sender.traits({ account: own(record.account) }, record.body, at);
    case "track": {
      const { event_id, ...body } = record.body;
      const given = event_id === undefined ? {} : { event_id: `${world}.${event_id}` };
      return sender.entry("track", { user: own(record.user) }, { ...body, ...given }, at);
    }
    case "alias":
      return sender.entry("alias", { user: own(record.user) }, own(record.body), at);
  }
}

/** Gives each record of the batches its own time, in an order that differs from that of the batches. */
export function timed(batches: readonly RandomRecord[][], order: readonly number[]): TimedRecord[][] {
  let place = 0;
  return batches.map((batch) => batch.map((record) => ({ record, second: order[place++] ?? place })));
}
