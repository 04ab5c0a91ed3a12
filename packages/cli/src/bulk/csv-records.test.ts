import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { AttributeType } from "@muster/protocol/api/values";
import { expect, test } from "vitest";
import { type CsvReading, csvRecords } from "./csv-records.js";

async function readText(csv: string, reading: Partial<CsvReading> = {}): Promise<string> {
  const records = csvRecords(Readable.from([csv]), { typeOf: () => undefined, ...reading });
  return (await buffer(Readable.from(records))).toString();
}

async function read(
  csv: string,
  types: Record<string, AttributeType> = {},
  withFormulas?: boolean,
): Promise<unknown[]> {
  const content = await readText(csv, { typeOf: (column) => types[column], withFormulas });
  return content
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

test("every row becomes a record by the names of the header; empty cells are left out", async () => {
  expect(await read("\ufeffexternal_id,name,plan\r\nu1,Ann,pro\r\nu2,,\r\n")).toEqual([
    { external_id: "u1", name: "Ann", plan: "pro" },
    { external_id: "u2" },
  ]);
});

test("quoted cells may hold commas, quotes and newlines", async () => {
  expect(await read('id,note\n1,"a ""b"", c\nd"\n')).toEqual([{ id: "1", note: 'a "b", c\nd' }]);
});

test("the quote that an extract puts in front of a formula is taken away, in cells and in the header", async () => {
  const csv = `id,'=name,size\n"'=1+1","''@x","-5"\n"'+31 20","'s-Hertogenbosch","'-7"\n"'\t=1","'",\n`;
  expect(await read(csv, { size: "numeric" })).toEqual([
    { id: "=1+1", "=name": "'@x", size: -5 },
    { id: "+31 20", "=name": "'s-Hertogenbosch", size: -7 },
    { id: "\t=1", "=name": "'" },
  ]);
  expect(await read(`id,'=name\n"'=1+1",x\n`, {}, true)).toEqual([{ id: "'=1+1", "'=name": "x" }]);
});

test("a column with a known type is read as that type, others stay text", async () => {
  const types = { size: "numeric", vip: "boolean", tags: "array", data: "json" } as const;
  expect(await read('size,vip,tags,data,zip\n12.5,Yes,"a, b","{""k"":1}",01234\n', types)).toEqual([
    { size: 12.5, vip: true, tags: ["a", "b"], data: { k: 1 }, zip: "01234" },
  ]);
  expect(await read('tags\n"[1,2]"\n', types)).toEqual([{ tags: [1, 2] }]);
});

test("the error about a cell that does not have its column's type names the row and the column", async () => {
  await expect(read("size\n1\nmany\n", { size: "numeric" })).rejects.toThrow(
    'Row 3: "many" in the column "size" cannot be read as a number.',
  );
});

test("a row with too many cells is an error", async () => {
  await expect(read("a,b\n1,2,3\n")).rejects.toThrow(/record length/i);
});

test("a record is in the line in which its row ends", async () => {
  expect(await readText('id,note\n1,a\n\n2,"b\nc"\n3,d\n')).toBe(
    ["", '{"id":"1","note":"a"}', "", "", '{"id":"2","note":"b\\nc"}', '{"id":"3","note":"d"}', ""].join("\n"),
  );
});

test("columns can be given the names of fields, and the file another delimiter", async () => {
  const fields = new Map([["E-Mail", "email"]]);
  expect(await readText("E-Mail;Plan\na@b.example;pro\n", { fields, delimiter: ";" })).toBe(
    '\n{"email":"a@b.example","Plan":"pro"}\n',
  );
  await expect(readText("Mail,Plan\na@b.example,pro\n", { fields })).rejects.toThrow(
    'The file has no column "E-Mail": it has Mail, Plan.',
  );
});

test("columns can identify the account of a user", async () => {
  expect(await read("id,account.domain,account.external_id,account.name\n1,a.example,7,A\n2,,,\n")).toEqual([
    { id: "1", "account.name": "A", account: { domain: "a.example", external_id: "7" } },
    { id: "2" },
  ]);
});
