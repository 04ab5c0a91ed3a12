import { type CompileOptions, compileQuery, compileSort, openScope, parse, parseSort, rowsOf } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isClickhouse } from "../../../../testing/is-clickhouse.js";
import { Statements } from "../client/statements.js";
import { openChdbClient } from "../testing/open-chdb.js";
import { clickhouseDialect } from "./dialect.js";

const ORG = "000000000000000000000001";
const SOME_ID = "640000000000000000000001";
const OPTIONS: CompileOptions = {
  target: "user",
  dialect: clickhouseDialect(ORG),
  attributeTypes: { typeOf: () => "string" },
  now: new Date("2024-06-15T12:00:00.000Z"),
};

test("every read table is restricted to one organization", () => {
  const inner = {
    bool: {
      must: [
        { term: { segment_ids: SOME_ID } },
        { term: { "account.plan": "x" } },
        { term: { "account.segment_ids": SOME_ID } },
      ],
    },
  };
  const query = { bool: { must: [inner, { has_child: { query: { has_parent: { type: "user", query: inner } } } }] } };
  const scope = openScope(OPTIONS);
  const sort = compileSort(parseSort([{ "account.plan": "asc" }, { segment_ids: "asc" }], { target: "user" }), scope);
  const condition = compileQuery(parse(query, { target: "user" }), scope);
  const sql = `select ${sort.cursor} from ${rowsOf("user", scope, sort.join)} and ${condition} order by ${sort.orderBy}`;
  const org = Object.keys(scope.params.values).find((name) => scope.params.values[name]?.value === ORG);
  const reads = sql.match(/from (?:users|accounts|events|memberships) /g) ?? [];
  const scoped = sql.match(new RegExp(`where org = \\{${org}:FixedString\\(24\\)\\}`, "g")) ?? [];
  expect(reads.length).toBeGreaterThan(8);
  expect(scoped.length).toBe(reads.length);
});

describe.runIf(isClickhouse)("the engine", () => {
  let statements: Statements;
  beforeAll(async () => {
    statements = new Statements(await openChdbClient(), {});
  });
  afterAll(() => statements.close());

  test("converts to lower case as the dialect does: the dot of İ, the final sigma of a word, each letter", async () => {
    const words = ["İstanbul", "ΟΔΟΣ", "ΟΔΟΣ ΣΑΣ.", "Σ", "ẞ", "Ǆ", "\u212a", "\u2126"];
    const letters = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code))
      .concat(Array.from({ length: 0x2000 }, (_, code) => String.fromCodePoint(0xa000 + code)))
      .filter((letter) => letter.isWellFormed() && letter !== "\0");
    const texts = [...words, ...letters];
    const [row] = await statements.rows<{ lowered: string[] }>(
      "select arrayMap(x -> lowerUTF8(x), {texts:Array(String)}) as lowered",
      { texts },
    );
    const { lowerCase } = clickhouseDialect(ORG);
    const differing = texts.filter((text, index) => lowerCase(text) !== row?.lowered[index]);
    expect(differing).toEqual([]);
  });
});
