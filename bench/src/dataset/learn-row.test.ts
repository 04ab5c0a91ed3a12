import { expect, test } from "vitest";
import { columnSql, valueSql } from "./learn-row.js";

const MARKERS = [
  { text: "template-user", sql: "external_id" },
  { text: "template-user-domain", sql: "domain" },
  { text: "7000000001", sql: "mrr" },
];

test("markers become the values that they stand for, the longest first, and other text stays", () => {
  expect(valueSql('{"id":"template-user","d":"template-user-domain","mrr":7000000001}', MARKERS)).toBe(
    `concat('{"id":"', external_id, '","d":"', domain, '","mrr":', mrr, '}')`,
  );
  expect(valueSql("it's", MARKERS)).toBe("'it''s'");
  expect(valueSql("", MARKERS)).toBe("''");
  expect(valueSql(null, MARKERS)).toBe("null");
});

test("a value that is only a marker keeps its type, also as a number with a point", () => {
  expect(valueSql("7000000001", MARKERS)).toBe("mrr");
  expect(valueSql("7000000001.0", MARKERS)).toBe("mrr");
});

test("a column that is the same in all shapes needs no case, and others choose by shape", () => {
  const templates = [
    { a: "template-user", b: "true" },
    { a: "template-user", b: null },
  ];
  const column = (name: string) => columnSql({ name, type: "varchar" }, templates, [MARKERS, MARKERS]);
  expect(column("a")).toBe("cast(external_id as varchar)");
  expect(column("b")).toBe(
    "cast(case shape when 0 then cast('true' as varchar) when 1 then cast(null as varchar) end as varchar)",
  );
});

test("a text of many pieces is put together in groups, because functions have a limit of arguments", () => {
  const text = Array.from({ length: 120 }, (_, n) => `${n}:template-user`).join();
  expect(valueSql(text, MARKERS)).toMatch(/^concat\(concat\('0:', external_id.*\), concat\(/);
});
