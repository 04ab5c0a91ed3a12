import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { expect, onTestFinished, test } from "vitest";
import { keyOf } from "../layout/keys.js";
import type { TableColumn } from "../layout/layout.js";
import { FileTransaction } from "./transaction.js";

const COLUMNS: readonly TableColumn[] = [
  { name: "row_number", type: "integer" },
  { name: "key", type: "bigint" },
  { name: "time", type: "bigint" },
  { name: "number", type: "double" },
  { name: "flag", type: "boolean" },
  { name: "text", type: "varchar" },
  { name: "other_text", type: "varchar" },
  { name: "list", type: "varchar[]" },
  { name: "never", type: "varchar" },
  { name: "never_list", type: "varchar[]" },
];

const ID = "0190000000001000000000aa";
const TEXTS = [
  "",
  "a",
  "twelve bytes",
  "thirteen byte",
  "é",
  "ééééééé",
  "🎉🎉🎉",
  "null\0inside",
  "\0",
  "x".repeat(70_000),
];
const TIMES = [0, -1, 1, 1_700_000_000_123, -62_198_755_200_001, 8_640_000_000_000_000, 2 ** 32, -(2 ** 32), 1.5];
const NUMBERS = [0, 1e308, -1e-308, 2 ** 53 + 2, 0.1, -5];

/** More rows than several chunks hold. Each column has its own rhythm of values and nulls. */
const ROWS = Array.from({ length: 7_001 }, (_, row) => {
  const every = <Value>(step: number, values: readonly Value[]) =>
    row % step === 0 || row > 6_500 ? values[((row / step) % values.length) | 0]! : null;
  return {
    row_number: row,
    key: every(2, [ID]),
    time: every(3, TIMES),
    number: every(5, NUMBERS),
    flag: every(7, [true, false]),
    text: every(1, TEXTS.slice(0, 9)),
    other_text: every(601, TEXTS),
    list: every(11, [["a"], ["long enough to be outside", "b", "é"], TEXTS.slice(0, 9)]),
  };
});

async function appendAndRead(connection: DuckDBConnection, columns: readonly TableColumn[]) {
  await connection.run(`create table rows (${columns.map(({ name, type }) => `${name} ${type}`).join(", ")})`);
  const tx = new FileTransaction(connection, "memory");
  await tx.append("rows", columns, ROWS, ({ row_number, key, time, number, flag, text, other_text, list }, row) => {
    row.number(0, row_number);
    if (key !== null) row.key(1, key);
    if (time !== null) row.integer(2, time);
    if (number !== null) row.number(3, number);
    if (flag !== null) row.number(4, flag ? 1 : 0);
    if (text !== null) row.text(5, text);
    if (other_text !== null) row.text(6, other_text);
    if (list !== null) row.list(7, list);
  });
  await tx.commit();
  const names = COLUMNS.map(({ name }) => name).join(", ");
  return (await connection.runAndReadAll(`select ${names} from rows order by row_number`)).getRowObjectsJson();
}

const EXPECTED = ROWS.map(({ key, time, ...row }) => ({
  ...row,
  key: key === null ? null : String(keyOf(key)),
  time: time === null ? null : String(Math.trunc(time)),
  never: null,
  never_list: null,
}));

const MORE = Array.from({ length: 400 }, (_, index): TableColumn => ({ name: `empty_${index}`, type: "double" }));

test.for([
  ["a narrow table", COLUMNS],
  ["a wide table", [...COLUMNS, ...MORE]],
] as const)("rows of all types are read from %s as they were appended", async ([, columns]) => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  const rows = await appendAndRead(connection, columns);
  expect(rows.length).toBe(ROWS.length);
  // One comparison of everything would print everything.
  expect(
    rows.filter((row, index) => JSON.stringify(row) !== JSON.stringify(inOrder(EXPECTED[index]!))).slice(0, 2),
  ).toEqual([]);
  const equal = await connection.runAndReadAll(`select count(*) from rows where text = 'twelve bytes'`);
  expect(equal.getRowsJson()).toEqual([[String(ROWS.filter(({ text }) => text === "twelve bytes").length)]]);
});

function inOrder(row: (typeof EXPECTED)[number]): Record<string, unknown> {
  const values: Record<string, unknown> = row;
  return Object.fromEntries(COLUMNS.map(({ name }) => [name, values[name]]));
}
