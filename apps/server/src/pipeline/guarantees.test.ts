import type { BatchAnswer, BatchEntry } from "@muster/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../testing/test-length.js";
import { findAll } from "../testing/find-all.js";
import { type Picture, takePicture } from "../testing/picture.js";
import {
  anyRecord,
  entryOf,
  identityRecord,
  type RandomRecord,
  rebatchableRecord,
  type TimedRecord,
  timed,
} from "../testing/random-records.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

// A test takes a few seconds on a quiet machine. Failures are not shrunk, because each attempt goes through both
// engines.
const TIMEOUT_MS = 120_000;

let worlds = 0;
const newWorld = () => `w${++worlds}w`;

/** Batches of random records, and a permutation that gives the records their times. */
const batchesOf = (record: fc.Arbitrary<RandomRecord>) =>
  fc
    .array(fc.array(record, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 })
    .chain((batches) => {
      const places = batches.flat().map((_, index) => index);
      return fc.tuple(fc.constant(batches), fc.shuffledSubarray(places, { minLength: places.length }));
    })
    .map(([batches, order]) => timed(batches, order));

/** Sends one batch after the other, and waits for each to be searchable. */
async function sendSlowly(batches: readonly BatchEntry[][]): Promise<void> {
  for (const batch of batches) await sender.settle(batch);
}

/** Sends all batches at once, so that they share one commit and one micro-batch. */
async function sendAtOnce(batches: readonly BatchEntry[][]): Promise<BatchAnswer[]> {
  const answers = await Promise.all(batches.map((batch) => sender.send(batch)));
  for (const { position } of answers) await sender.waitFor(position);
  return answers;
}

async function picture(
  batches: readonly TimedRecord[][],
  send: (batches: BatchEntry[][]) => Promise<unknown>,
): Promise<Picture> {
  const world = newWorld();
  await send(batches.map((batch) => batch.map((record) => entryOf(sender, world, record))));
  return takePicture(server, world);
}

test(
  "any permutation and repetition of batches gives the same users, attribute values, accounts and events",
  async () => {
    const orders = batchesOf(anyRecord).chain((batches) =>
      fc.record({
        batches: fc.constant(batches),
        permuted: fc.shuffledSubarray(batches, { minLength: batches.length }),
        repeated: fc.array(fc.constantFrom(...batches), { maxLength: 4 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(orders, async ({ batches, permuted, repeated }) => {
        const expected = await picture(batches, sendSlowly);
        expect(await picture([...permuted, ...repeated], sendSlowly)).toEqual(expected);
        expect(await picture([...repeated, ...permuted], sendAtOnce)).toEqual(expected);
      }),
      { numRuns: sized(4, 15), endOnFailure: true },
    );
    expect(await sender.rejected()).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "records with given event ids and set operations have the same result in any batches",
  async () => {
    const cuts = batchesOf(rebatchableRecord).chain((batches) => {
      const records = batches.flat();
      return fc.record({
        batches: fc.constant(batches),
        mixed: fc.shuffledSubarray(records, { minLength: records.length }),
        size: fc.integer({ min: 1, max: records.length }),
      });
    });
    await fc.assert(
      fc.asyncProperty(cuts, async ({ batches, mixed, size }) => {
        const rebatched: TimedRecord[][] = [];
        for (let start = 0; start < mixed.length; start += size) rebatched.push(mixed.slice(start, start + size));
        const expected = await picture(batches, sendSlowly);
        expect(await picture(rebatched, sendAtOnce)).toEqual(expected);
        expect(await picture([mixed], sendSlowly)).toEqual(expected);
      }),
      { numRuns: sized(3, 10), endOnFailure: true },
    );
  },
  TIMEOUT_MS,
);

test(
  "concurrent batches with the same identifiers make one user of identifiers that belong together, and all are answered",
  async () => {
    const many = fc.array(fc.array(identityRecord, { minLength: 1, maxLength: 4 }), { minLength: 12, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(many, async (batches) => {
        const world = newWorld();
        const records = timed(
          batches,
          batches.flat().map((_, index) => index),
        );
        const entries = records.map((batch) => batch.map((record) => entryOf(sender, world, record)));
        const answers = await sendAtOnce(entries);
        expect(answers).toHaveLength(batches.length);
        const { rows } = await server.database.query<{ kind: string; value: string; user_id: string }>(
          "select kind, value, user_id from user_identifiers where value like $1",
          [`${world}.%`],
        );
        const groups = new Map<string, string[]>();
        for (const { kind, value, user_id } of rows) {
          const key = `${kind} ${value.slice(world.length + 1)}`;
          groups.set(user_id, [...(groups.get(user_id) ?? []), key].sort());
        }
        expect([...groups.values()].sort(byFirst)).toEqual(groupsOf(batches.flat()).sort(byFirst));
        const stored = await server.database.query<{ count: number }>(
          "select count(*) as count from users where id = any($1)",
          [[...groups.keys()]],
        );
        expect(stored.rows[0]?.count).toBe(groups.size);
      }),
      { numRuns: sized(3, 10), endOnFailure: true },
    );
  },
  TIMEOUT_MS,
);

const byFirst = (one: string[], other: string[]) => ((one[0] ?? "") < (other[0] ?? "") ? -1 : 1);

/** The users that the records describe: identifiers that one record names belong together. */
function groupsOf(records: readonly RandomRecord[]): string[][] {
  const groups: Set<string>[] = [];
  for (const record of records) {
    if (record.type === "account") continue;
    const named = { ...record.user, ...(record.type === "alias" ? record.body : {}) };
    const joined = new Set(Object.entries(named).map(([kind, value]) => `${kind} ${value}`));
    for (const group of [...groups]) {
      if (![...joined].some((identifier) => group.has(identifier))) continue;
      for (const identifier of group) joined.add(identifier);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push(joined);
  }
  return groups.map((group) => [...group].sort());
}

test(
  "no record stops the records after it, and accepted values are read back unchanged",
  async () => {
    const text = fc.string({ unit: "binary", maxLength: 40 });
    const json = fc.jsonValue({ stringUnit: "binary", depthSize: "small" });
    const strange = fc.record({
      attribute: fc.string({ unit: "binary", maxLength: 30 }),
      value: text,
      anything: json,
      event: text,
      properties: fc.dictionary(text, json, { maxKeys: 5 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(strange, async ({ attribute, value, anything, event, properties }) => {
        run += 1;
        const user = { external_id: `strange-${run}` };
        await sender.settle([
          sender.traits({ user }, { told: value, [`anything ${run}`]: anything, [`${run}${attribute}`]: value }),
          sender.track({ user }, event, { properties, event_id: `strange-${run}`, referer: value, session_id: value }),
          sender.traits({ user }, { done: true }),
        ]);
        const report = await sender.user(user);
        expect(report).toMatchObject({ traits_done: true, traits_told: value });
        const query = { ids: { values: [report.id] } };
        const [found] = await findAll(server, server.first.organization.id, "user", query);
        expect(found?.report).toMatchObject({ traits_done: true });
      }),
      {
        numRuns: sized(20, 60),
        endOnFailure: true,
        examples: [
          [
            {
              attribute: "__proto__",
              value: "\u0000",
              anything: { ["__proto__"]: 1, constructor: { prototype: {} } },
              event: "__proto__",
              properties: { ["__proto__"]: [{ ["__proto__"]: null }] },
            },
          ],
        ],
      },
    );
  },
  TIMEOUT_MS,
);
