// @module-tag long
import type { Target } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KeyRange, RowKey } from "../../extracting.js";
import type { Questions } from "../../questions.js";
import { ENGINE, openEngine } from "../open-engine.js";
import { idOf, nameOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, eventOf, userDocument } from "../steps.test.kit.js";
import { writtenText } from "../written-text.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const NO_SEGMENTS = { own: [], account: [] };

async function namesIn(
  organization: Organization,
  target: Target,
  range: KeyRange,
  query: unknown = {},
): Promise<string[]> {
  const text = await writtenText((path) =>
    questions.writeJsonLines(organization.id, organization.select(query, target), range, NO_SEGMENTS, path),
  );
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => nameOf((JSON.parse(line) as { id: string }).id));
}

/** Reads all ranges up to the last key, as an extract does, and the rows of each. */
async function extract(organization: Organization, target: Target, query: unknown = {}): Promise<string[][]> {
  const until = await questions.lastKey(organization.id, target);
  const ranges: string[][] = [];
  for (let after: RowKey | undefined; until; ) {
    const range = await questions.nextRange(organization.id, target, after, until);
    if (range === undefined) break;
    ranges.push(await namesIn(organization, target, range, query));
    after = range.until;
  }
  return ranges;
}

function batch(number: number, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `b${number}.${index}`);
}

/** Rows whose keys increase from batch to batch, in the order of either engine. */
const WRITERS: Record<
  Target,
  (organization: Organization, names: readonly string[], version: number) => Promise<unknown>
> = {
  user: (organization, names, version) =>
    organization.writeUsers(...names.map((name) => userDocument(idOf(name), {}, { version }))),
  account: (organization, names, version) =>
    organization.writeAccounts(...names.map((name) => accountDocument(idOf(name), {}, { version }))),
  event: (organization, names) =>
    organization.write({
      events: names.map((name) => {
        const number = Number(/^b(\d)/.exec(name)?.[1] ?? 0);
        return eventOf(idOf(name), idOf("ann"), {
          event: `Event ${number}`,
          created_at: new Date(Date.UTC(2024, 0, 1 + number)).toISOString(),
        });
      }),
    }),
};
const TARGETS: Target[] = ["user", "account", "event"];

describe.for(TARGETS)("ranges of %ss", (target) => {
  const write = WRITERS[target];

  test("do not exist for an empty table", async () => {
    const organization = await openOrganization(questions);
    expect(await questions.lastKey(organization.id, target)).toBeUndefined();
  });

  test("cover every row once", async () => {
    const organization = await openOrganization(questions);
    const names = [...batch(1, 5), ...batch(2, 5), ...batch(0, 3)];
    await write(organization, names, 1);
    expect((await extract(organization, target)).flat().sort()).toEqual([...names].sort());
  });

  test("contain the rows that the query selects", async () => {
    const organization = await openOrganization(questions);
    await write(organization, batch(1, 5), 1);
    const values = ["b1.0", "b1.3", "b9.9"].map(idOf);
    expect((await extract(organization, target, { ids: { values } })).flat().sort()).toEqual(["b1.0", "b1.3"]);
    expect((await extract(organization, target, { match_none: {} })).flat()).toEqual([]);
  });

  test("can be stored as JSON and continued later", async () => {
    const organization = await openOrganization(questions);
    await write(organization, batch(1, 3), 1);
    const until = await questions.lastKey(organization.id, target);
    const stored = JSON.parse(JSON.stringify(until)) as RowKey;
    expect(stored).toEqual(until);
    const range = await questions.nextRange(organization.id, target, undefined, stored);
    expect(range && (await namesIn(organization, target, range)).sort()).toEqual(batch(1, 3));
    expect(await questions.nextRange(organization.id, target, stored, stored)).toBeUndefined();
  });

  test("end at the row that was the last at the start", async () => {
    const organization = await openOrganization(questions);
    await write(organization, batch(1, 3), 1);
    const until = (await questions.lastKey(organization.id, target))!;
    await write(organization, batch(2, 3), 2);
    const range = { after: undefined, until };
    expect((await namesIn(organization, target, range)).sort()).toEqual(batch(1, 3));
  });

  test("contain each row once, even if rows are written between them", async () => {
    const organization = await openOrganization(questions);
    const names = [1, 3, 5].map((number) => batch(number, 4));
    const keys: RowKey[] = [];
    for (const [version, some] of names.entries()) {
      await write(organization, some, version + 1);
      keys.push((await questions.lastKey(organization.id, target))!);
    }
    const seen: string[] = [];
    for (const [index, until] of keys.entries()) {
      seen.push(...(await namesIn(organization, target, { after: keys[index - 1], until })));
      // The same rows again, and new rows before, between and after the rows that were read.
      await write(organization, names.flat(), 10 + index);
      await write(
        organization,
        [`b0.${index}`, `b2.${index}`, `b4.${index}`, `b6.${index}`, `b1.9${index}`],
        10 + index,
      );
    }
    const early = names.flat();
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((name) => early.includes(name)).sort()).toEqual([...early].sort());
  });

  test("contain every row once, for random rows and limits", async () => {
    const runs = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(runs, async (sizes) => {
        const organization = await openOrganization(questions);
        const keys: RowKey[] = [];
        const all: string[] = [];
        for (const [index, [size, isCut]] of sizes.entries()) {
          const names = batch(index + 1, size);
          all.push(...names);
          await write(organization, names, index + 1);
          const key = (await questions.lastKey(organization.id, target))!;
          if (isCut || index === sizes.length - 1) keys.push(key);
        }
        const seen: string[] = [];
        for (const [index, until] of keys.entries()) {
          seen.push(...(await namesIn(organization, target, { after: keys[index - 1], until })));
        }
        expect(seen.sort()).toEqual(all.sort());
        await questions.drop(organization.id);
      }),
      { numRuns: 5 },
    );
  });
});

test("rows that do not fit into one range are divided into several, each row in one of them", async () => {
  const organization = await openOrganization(questions);
  // A range holds 50,000 rows of the embedded engine and 100,000 rows of ClickHouse.
  const count = ENGINE === "clickhouse" ? 110_000 : 55_000;
  const page = count / 5;
  const name = (index: number) => index.toString(36).padStart(4, "0");
  for (let start = 0; start < count; start += page) {
    const written = Array.from({ length: page }, (_, index) => userDocument(idOf(name(start + index)), {}));
    await organization.writeUsers(...written);
  }
  const ranges = await extract(organization, "user");
  expect(ranges.length).toBeGreaterThan(1);
  expect(new Set(ranges.flat()).size).toBe(count);
  expect(ranges.flat()).toHaveLength(count);
});
