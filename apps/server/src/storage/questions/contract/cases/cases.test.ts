import { parse, reportTest, type Target } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { ATTRIBUTE_TYPES, eventNameOf, NOW, nameOf, ORG, USERS } from "../dataset.test.data.js";
import { selectionOf } from "../selection.test.kit.js";
import { openDataset } from "../write-dataset.test.kit.js";
import { BOOLS } from "./bools.test.data.js";
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

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

async function find(input: unknown, target: Target): Promise<string> {
  const rows = await questions.page(ORG, selectionOf(input, target), { sort: [], limit: 100 });
  return rows.map((row) => (target === "event" ? eventNameOf(row.id) : nameOf(row.id))).join(" ");
}

test("a query about reports only selects the same users when it is tested on their reports", () => {
  let tested = 0;
  for (const [shows, query, names] of TABLES.flatMap(({ target, cases }) => (target === "user" ? cases : []))) {
    const test = reportTest(parse(query, { target: "user" }), {
      target: "user",
      attributeTypes: ATTRIBUTE_TYPES,
      now: NOW,
    });
    if (test?.questions.length !== 0) continue;
    tested += 1;
    const found = USERS.filter(({ report }) => test.fits(report, new Set()));
    expect(found.map(({ report }) => nameOf(String(report.id))).join(" "), shows).toBe(names);
  }
  expect(tested).toBeGreaterThan(100);
});

for (const { about, target, cases } of TABLES) {
  describe(about, () => {
    test.for(cases)("%s", async ([, query, names]) => {
      expect(await find(query, target)).toBe(names);
    });

    test("counts the selected rows", async () => {
      for (const [shows, query, names] of cases) {
        const expected = names === "" ? 0 : names.split(" ").length;
        expect(await questions.count(ORG, selectionOf(query, target)), shows).toBe(expected);
      }
    });
  });
}
