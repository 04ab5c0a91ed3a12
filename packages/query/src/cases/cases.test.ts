import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SearchRow, searchStatement } from "../compile/search.js";
import type { Entity } from "../entity.js";
import { reportTest } from "../evaluate/report-test.js";
import { parse } from "../parse/parse.js";
import { BOOLS } from "./bools.test.data.js";
import { CATALOG, eventNameOf, NOW, nameOf, ORG, USERS } from "./dataset.test.data.js";
import { type Engine, openDataset } from "./engine.test.kit.js";
import { EXISTENCE, RANGES } from "./ranges.test.data.js";
import { ACCOUNT_FIELDS, ACCOUNTS_TABLE, CHILDREN, EVENTS_TABLE } from "./relations.test.data.js";
import { TERMS } from "./terms.test.data.js";
import { PATTERNS, TEXT } from "./text.test.data.js";

const TABLES = [
  TERMS,
  RANGES,
  EXISTENCE,
  TEXT,
  PATTERNS,
  BOOLS,
  CHILDREN,
  ACCOUNT_FIELDS,
  ACCOUNTS_TABLE,
  EVENTS_TABLE,
];

let engine: Engine;

beforeAll(async () => {
  engine = await openDataset();
});

afterAll(() => engine.close());

async function find(input: unknown, entity: Entity): Promise<string> {
  const query = parse(input, { entity });
  const options = { entity, org: ORG, catalog: CATALOG, now: NOW };
  const rows = await engine.rows<SearchRow>(searchStatement(query, { sort: [], limit: 100 }, options));
  return rows.map((row) => (entity === "event" ? eventNameOf(row.id) : nameOf(row.id))).join(" ");
}

const EXISTING = USERS.filter(({ org, deleted, version }) => org === ORG && !deleted && version === 2);

test("a query that asks of reports alone finds the same users by testing them", () => {
  let tested = 0;
  for (const [shows, query, names] of TABLES.flatMap(({ entity, cases }) => (entity === "user" ? cases : []))) {
    const test = reportTest(parse(query, { entity: "user" }), { entity: "user", catalog: CATALOG, now: NOW });
    if (test?.questions.length !== 0) continue;
    tested += 1;
    const found = EXISTING.filter(({ fields, createdAt, accountId }) =>
      test.fits({ ...fields, created_at: createdAt.toISOString(), account_id: accountId ?? null }, new Set()),
    );
    expect(found.map(({ id }) => nameOf(id)).join(" "), shows).toBe(names);
  }
  expect(tested).toBeGreaterThan(100);
});

for (const { about, entity, cases } of TABLES) {
  describe(about, () => {
    test.for(cases)("%s", async ([, query, names]) => {
      expect(await find(query, entity)).toBe(names);
    });
  });
}
