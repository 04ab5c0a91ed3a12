import type { Target } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ColumnSource, ExtractColumn } from "../../../../domain/jobs/extract-columns.js";
import type { Report } from "../../../../domain/profiles/report.js";
import type { ExtractSegments } from "../../extracting.js";
import type { Questions } from "../../questions.js";
import { id, ORG } from "../dataset.test.data.js";
import { idOf, openOrganization } from "../organization.test.kit.js";
import { selectionOf } from "../selection.test.kit.js";
import { eventOf, userDocument } from "../steps.test.kit.js";
import { openDataset } from "../write-dataset.test.kit.js";
import { writtenText } from "../written-text.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

const SEGMENTS = { own: ["buyers", "readers", "partners"].map(id), account: [id("partners")] };

function column(source: ColumnSource, key: string): ExtractColumn {
  return { header: key, source, key };
}

/** The lines in alphabetical order, because the order of an extract is not defined. */
async function extract(
  columns: readonly ExtractColumn[],
  query: unknown = {},
  target: Target = "user",
  segments: ExtractSegments = SEGMENTS,
): Promise<string[]> {
  const until = (await questions.lastKey(ORG, target))!;
  const range = { after: undefined, until };
  let rows = 0;
  const text = await writtenText(async (path) => {
    rows = await questions.writeCsvLines(ORG, selectionOf(query, target), range, segments, columns, path);
  });
  const lines = text === "" ? [] : text.split(/(?<=\r\n)(?=["\r,])/).sort();
  expect(lines).toHaveLength(rows);
  return lines;
}

/** Names that are hard for SQL, JSON paths or CSV. */
const ODD_NAMES = [
  "a.b",
  "quote\"'",
  "odd`name\\",
  "$.a",
  "/a/b",
  "a~1b",
  "space here",
  "[0]",
  "日本",
  "*",
  "Plan",
  "plan",
];

describe("an extract as lines of CSV", () => {
  test("quotes every value, has empty cells for missing values, and ends lines with CRLF", async () => {
    const columns = ["external_id", "traits_plan", "traits_mrr", "traits_vip", "nothing"].map((key) =>
      column("own", key),
    );
    expect(await extract([column("own", "id"), ...columns])).toEqual([
      `"${id("ann")}","u-1","pro","100","true",\r\n`,
      `"${id("bob")}","u-2","free","0","false",\r\n`,
      `"${id("cat")}",,"Pro","99.5",,\r\n`,
      `"${id("dan")}",,"","-5","true",\r\n`,
      `"${id("eve")}",,,"1000000",,\r\n`,
      `"${id("fay")}",,"enterprise plus",,,\r\n`,
      `"${id("gus")}",,,,,\r\n`,
    ]);
  });

  test("has no header", async () => {
    expect(await extract([column("own", "name")], { term: { plan: "none such" } })).toEqual([]);
  });

  test("has lists and objects as JSON, and dates as in the report", async () => {
    const columns = ["traits_langs", "traits_meta", "traits_renewal_at", "created_at"].map((key) => column("own", key));
    expect(await extract(columns, { term: { plan: "pro" } })).toEqual([
      '"[""en"",""fr""]","{""score"":7,""kind"":""gold star""}","2024-06-15T00:00:00.000Z","2024-01-01T00:00:00.000Z"\r\n',
    ]);
    expect(await extract([column("own", "id"), column("own", "traits_langs")], { term: { id: id("dan") } })).toEqual([
      `"${id("dan")}","[]"\r\n`,
    ]);
  });

  test("has columns of the account, of segments, and without a source", async () => {
    const columns = [
      column("own", "id"),
      column("account", "domain"),
      column("account", "industries"),
      column("segments", "segment_ids"),
      column("nowhere", "traits_plan"),
      column("account", "nothing"),
    ];
    expect(await extract(columns, { terms: { id: ["ann", "bob", "dan", "eve"].map(id) } })).toEqual([
      `"${id("ann")}","acme.com","[""software"",""retail""]","[""${id("buyers")}""]",,\r\n`,
      `"${id("bob")}","acme.com","[""software"",""retail""]","[""${id("buyers")}"",""${id("readers")}""]",,\r\n`,
      `"${id("dan")}",,,"[]",,\r\n`,
      `"${id("eve")}","bare.io",,"[]",,\r\n`,
    ]);
  });

  test("has the given segments only", async () => {
    const columns = [column("own", "external_id"), column("segments", "segment_ids")];
    const query = { term: { id: id("bob") } };
    expect(await extract(columns, query, "user", { own: [id("readers")], account: [] })).toEqual([
      `"u-2","[""${id("readers")}""]"\r\n`,
    ]);
    expect(await extract(columns, query, "user", { own: [], account: [] })).toEqual(['"u-2","[]"\r\n']);
  });

  test("has the segments of the account, as the account's report does", async () => {
    const columns = [column("own", "id"), column("account", "segment_ids")];
    expect(await extract(columns, { terms: { id: ["bob", "cat", "gus"].map(id) } })).toEqual([
      `"${id("bob")}","[""${id("partners")}""]"\r\n`,
      `"${id("cat")}","[]"\r\n`,
      `"${id("gus")}",\r\n`,
    ]);
  });

  test("has accounts", async () => {
    const columns = [column("own", "name"), column("own", "employees"), column("segments", "segment_ids")];
    expect(await extract(columns, { exists: { field: "employees" } }, "account")).toEqual([
      `"Acme Corporation","500","[""${id("partners")}""]"\r\n`,
      '"Globex","50","[]"\r\n',
    ]);
  });

  test("has events with columns of their properties and their context", async () => {
    const columns = [
      column("own", "event_id"),
      column("own", "event"),
      column("own", "event_source"),
      column("own", "user_id"),
      column("own", "session_id"),
      column("properties", "amount"),
      column("properties", "items"),
      column("properties", "cart"),
      column("properties", "cart.total"),
      column("properties", "coupon"),
      column("context", "ip"),
      column("context", "page"),
    ];
    const ids = [1, 2, 3, 5, 9].map((number) => `65000000${number.toString(16).padStart(16, "0")}`);
    expect(await extract(columns, { terms: { id: ids } }, "event")).toEqual(
      [
        `"e-1","Signed up","api","${id("ann")}","s-1",,,,,,,\r\n`,
        `"e-2","Order","web","${id("ann")}",,"10","[""shoe"",""hat""]",,,,,\r\n`,
        `"e-3","Order","web","${id("ann")}",,"20.5",,"{""total"":99}",,,,\r\n`,
        `"e-5","Page","web","${id("ann")}",,,,,,,"1.2.3.4","{""url"":""/pricing""}"\r\n`,
        `"e-9","Order","web","${id("cat")}",,"12",,,"12","false",,\r\n`,
      ].sort(),
    );
    expect(
      await extract([column("own", "properties"), column("own", "context")], { term: { event_id: "e-7" } }, "event"),
    ).toEqual(['"{""title"":""Home""}","{}"\r\n']);
  });

  test("may have a column twice, or only empty columns", async () => {
    const plan = column("own", "traits_plan");
    expect(await extract([plan, column("own", "external_id"), plan], { term: { plan: "pro" } })).toEqual([
      '"pro","u-1","pro"\r\n',
    ]);
    expect(await extract([column("nowhere", "a"), column("nowhere", "b")], { term: { plan: "pro" } })).toEqual([
      ",\r\n",
    ]);
  });
});

describe("a cell of CSV", () => {
  const cellsOf = async (fields: Report, options?: { formulas: boolean }) => {
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(idOf("ann"), fields));
    const until = (await questions.lastKey(organization.id, "user"))!;
    const range = { after: undefined, until };
    const columns = Object.keys(fields).map((key) => column("own", key));
    const none = { own: [], account: [] };
    const selection = organization.select({});
    return writtenText((path) =>
      questions.writeCsvLines(organization.id, selection, range, none, columns, path, options),
    );
  };

  test.for<[string, Report[string], string]>([
    ["a quote is doubled", 'a "quoted" word', '"a ""quoted"" word"'],
    ["a comma stays in the cell", "a,b", '"a,b"'],
    ["line breaks stay in the cell", "one\r\ntwo\nthree\rfour", '"one\r\ntwo\nthree\rfour"'],
    ["a tab and a backslash stay", "a\tb\\n", '"a\tb\\n"'],
    ["characters beyond ASCII stay", "é 日本 🎉", '"é 日本 🎉"'],
    ["spaces stay", "  a  ", '"  a  "'],
    ["an empty text is quoted", "", '""'],
    ["null is empty", null, ""],
    ["a number", 12.5, '"12.5"'],
    ["a negative whole number", -3, '"-3"'],
    ["a large whole number", 1718409600000, '"1718409600000"'],
    ["a boolean", false, '"false"'],
    ["a list", [1, "b", null, { c: 'd"' }], '"[1,""b"",null,{""c"":""d\\""""}]"'],
    ["an object", { a: { b: [true] } }, '"{""a"":{""b"":[true]}}"'],
    ["a text that looks like JSON", '{"a":1}', '"{""a"":1}"'],
    ["a formula begins with a quote", "=1+1", `"'=1+1"`],
    ["a formula that begins with a sign", "+1+1", `"'+1+1"`],
    ["a formula that begins with a minus", "-1+cmd|' /C calc'!A0", `"'-1+cmd|' /C calc'!A0"`],
    ["a formula that begins with an at sign", "@SUM(A1)", `"'@SUM(A1)"`],
    ["a formula after a tab", "\t=1", `"'\t=1"`],
    ["a formula after line breaks", "\r\n=1", `"'\r\n=1"`],
    ["a formula with quotes", '=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["a formula that has its quote already gets another one", "'=1+1", `"''=1+1"`],
    ["a text with a quote", "'s-Hertogenbosch", `"'s-Hertogenbosch"`],
    ["a text with a sign inside", "a=b+c-d@e", '"a=b+c-d@e"'],
    ["a phone number", "+31 20 123", `"'+31 20 123"`],
    ["a minus alone", "-", `"'-"`],
    ["a text that is a negative number", "-5", '"-5"'],
    ["a number with a line break after it", "-5\n", `"'-5\n"`],
    ["a negative number with an exponent", -1.5e-9, '"-1.5e-9"'],
    ["a list with a formula in it", ["=1"], '"[""=1""]"'],
    ["a text that says null", "null", '"null"'],
    ["a slash and an angle", "a/b<c>", '"a/b<c>"'],
  ])("%s", async ([, value, cell]) => {
    expect(await cellsOf({ traits_before: "x", traits_it: value, traits_after: "y" })).toBe(`"x",${cell},"y"\r\n`);
  });

  test("stays a formula when that is asked for", async () => {
    const fields = { traits_a: "=1+1", traits_b: "'=1", traits_c: "\t", traits_d: -5 };
    expect(await cellsOf(fields, { formulas: true })).toBe(`"=1+1","'=1","\t","-5"\r\n`);
  });

  test("may have any name", async () => {
    const fields = Object.fromEntries(ODD_NAMES.map((name) => [name, `is ${name}`]));
    const cells = ODD_NAMES.map((name) => `"is ${name.replaceAll('"', '""')}"`).join(",");
    expect(await cellsOf(fields)).toBe(`${cells}\r\n`);
  });

  test("of an event may have any name", async () => {
    const properties = Object.fromEntries(ODD_NAMES.map((name) => [name, `is ${name}`]));
    const organization = await openOrganization(questions);
    await organization.write({ events: [eventOf(idOf("e1"), idOf("ann"), { properties, context: properties })] });
    const range = { after: undefined, until: (await questions.lastKey(organization.id, "event"))! };
    const columns = ODD_NAMES.flatMap((name) => [column("properties", name), column("context", name)]);
    const none = { own: [], account: [] };
    const cells = ODD_NAMES.flatMap((name) => Array(2).fill(`"is ${name.replaceAll('"', '""')}"`)).join(",");
    expect(
      await writtenText((path) =>
        questions.writeCsvLines(organization.id, organization.select({}, "event"), range, none, columns, path),
      ),
    ).toBe(`${cells}\r\n`);
  });
});
