import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CsvSplitter } from "../../jobs/import/csv-splitter.js";
import { columnNames, csvCell, DELIMITERS, readCsvRow } from "./csv.js";
import { guessFormat } from "./guess-format.js";

const cells = fc.string({ unit: fc.constantFrom("a", "é", '"', ",", ";", "\t", "|", "\n", "\r\n", " ", "😀") });
const tables = fc.array(fc.array(cells, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });

test("rows that are written as CSV are read again, wherever the pieces of the file end", () => {
  fc.assert(
    fc.property(tables, fc.constantFrom(...DELIMITERS), fc.array(fc.nat(200)), (table, delimiter, cuts) => {
      // Rows that are blank are not records.
      const rows = table.map((row) => ["x", ...row]);
      const text = rows.map((row) => row.map((cell) => csvCell(cell, delimiter)).join(delimiter)).join("\r\n");
      const file = Buffer.from(text);
      const splitter = new CsvSplitter(10_000, { delimiter, header: false });
      const places = [...new Set([...cuts.filter((cut) => cut < file.length), file.length])].sort((a, b) => a - b);
      let start = 0;
      const records = places.flatMap((place) => {
        const piece = file.subarray(start, place);
        start = place;
        return splitter.push(piece);
      });
      records.push(...splitter.end());
      const read = records.map(({ bytes }) => readCsvRow((bytes?.toString() ?? "").replace(/\r$/, ""), delimiter));
      expect(read).toEqual(rows);
    }),
  );
});

test("columns of the same name get names of their own, also when there are very many", () => {
  expect(columnNames(["a", "a 2", "a", "", "Column 4", "a"], true)).toEqual([
    "a",
    "a 2",
    "a 3",
    "Column 4",
    "Column 4 2",
    "a 4",
  ]);
  const names = columnNames(
    Array.from({ length: 100_000 }, () => "a"),
    true,
  );
  expect([new Set(names).size, names.at(-1)]).toEqual([100_000, "a 100000"]);
});

test("a quote inside a cell without quotes is a character like any other", () => {
  const splitter = new CsvSplitter(1_000, { delimiter: ",", header: true });
  const records = splitter.push(Buffer.from('\uFEFF"size, mm",name\n5" pipe,"a ""b"" c"\n6"" pipe,d\n'));
  expect(readCsvRow(splitter.header?.toString() ?? "", ",")).toEqual(["size, mm", "name"]);
  expect(records.map(({ line, bytes }) => [line, readCsvRow(String(bytes), ",")])).toEqual([
    [2, ['5" pipe', 'a "b" c']],
    [3, ['6"" pipe', "d"]],
  ]);
});

test("a row has the number of the line that it begins in", () => {
  const splitter = new CsvSplitter(1_000, { delimiter: ",", header: false });
  const records = [...splitter.push(Buffer.from('a,"1\n2"\n\nb,3\nc,4')), ...splitter.end()];
  expect(records.map(({ line }) => line)).toEqual([1, 4, 5]);
});

test("columns without a name and with a name that comes twice can be told apart", () => {
  expect(columnNames(["a", "", "a", " b "], true)).toEqual(["a", "Column 2", "a 2", "b"]);
  expect(columnNames(["x", "y"], false)).toEqual(["Column 1", "Column 2"]);
});

describe("the form of a file is guessed", () => {
  test.each([
    ["commas", "email,name\na@b.c,Ann", { delimiter: ",", header: true }],
    ["semicolons with commas in cells", 'name;size\n"Smith, Ann";1,5\nBob;2,5', { delimiter: ";", header: true }],
    ["tabs", "id\tname\n1\tAnn", { delimiter: "\t", header: true }],
    ["no header, because it has data", "a@b.c,Ann\nd@e.f,Bob", { delimiter: ",", header: false }],
    ["one column", "email\na@b.c", { delimiter: ",", header: true }],
    ["JSON lines", '\n{"a":1}\n', undefined],
    ["a JSON array", "[{}]", undefined],
  ])("%s", (_what, text, expected) => {
    expect(guessFormat(text)).toEqual(expected);
  });
});
