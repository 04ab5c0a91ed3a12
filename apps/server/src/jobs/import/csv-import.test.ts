import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebServer } from "../../../../../testing/start-web-server.js";
import { call, download, type JobAnswer, jsonLines, runJob } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { signInAs } from "../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  sender = new Sender(server);
  await sender.settle([
    sender.traits({ user: { email: "old@example.com" } }, { seats: 1, name: "Old" }),
    sender.traits({ user: { email: "same@example.com" } }, { seats: 5, name: "Same" }),
  ]);
});
afterAll(() => server.close());

async function upload(content: string | Buffer): Promise<string> {
  const { body } = await call<{ id: string; url: string }>(server, "POST", "/uploads");
  await server.app.inject({
    method: "PUT",
    url: `/api/v1/uploads/${body.id}?offset=0`,
    headers: { ...server.connectorHeaders, "content-type": "application/octet-stream" },
    payload: Buffer.from(content),
  });
  return body.url;
}

interface Job extends JobAnswer {
  refused_rows_url?: string;
  dry_run?: boolean;
}

const PEOPLE = [
  "E-mail;Full name;Seats;Signed up;Notes",
  "new1@example.com;Ann;12;2024-05-12;x",
  'new2@example.com;"Smith; Bob";7;;',
  "old@example.com;Old;2;;",
  "same@example.com;Same;5;;",
  "new3@example.com;Cid;many;;",
  ";Nobody;3;;",
  "new1@example.com;Ann;13;;",
  "short@example.com;Short;9 or so",
  "",
].join("\r\n");
const COLUMNS = [
  { column: "E-mail", to: "identifier", name: "email" },
  { column: "Full name", to: "attribute", name: "name", type: "string" },
  { column: "Seats", to: "attribute", name: "seats", type: "numeric" },
  { column: "Signed up", to: "attribute", name: "signed_up_at", type: "date" },
  { column: "Notes", to: "ignore" },
];
const CSV = { format: "csv", delimiter: ";", columns: COLUMNS, overwrite: true };

test("a dry run counts exactly, keeps the upload, and the import then does the same", async () => {
  const url = await upload(PEOPLE);
  const dry = (await runJob(server, "/import/users", { url, ...CSV, dry_run: true })) as Job;
  expect(dry).toMatchObject({
    status: "completed",
    dry_run: true,
    result: { records: 8, new: 2, updated: 2, refused: 3 },
  });
  expect(
    (await call<{ data: unknown[] }>(server, "POST", "/search/subjects", { text: "new1@example.com" })).body.data,
  ).toEqual([]);
  const { body } = await call<{ reasons: object[] }>(server, "GET", `/imports/${dry.id}/reasons`);
  expect(body.reasons).toEqual([
    { code: "invalid_entry", message: 'The column "Seats" is not a number.', rows: 2, first_line: 6 },
    { code: "invalid_entry", message: expect.stringContaining("names no user"), rows: 1, first_line: 7 },
  ]);
  expect((await download(server, dry.refused_rows_url)).split("\r\n")).toEqual([
    "E-mail;Full name;Seats;Signed up;Notes;reason",
    'new3@example.com;Cid;many;;;The column "Seats" is not a number.'.replace(
      /The.*/,
      '"The column ""Seats"" is not a number."',
    ),
    expect.stringMatching(/^;Nobody;3;;;The record names no user/),
    'short@example.com;Short;9 or so;;;"The column ""Seats"" is not a number."',
    "",
  ]);

  const job = (await runJob(server, "/import/users", { url, ...CSV })) as Job;
  expect(job).toMatchObject({ status: "completed", result: { records: 8, rejected: 3 } });
  expect(job.refused_rows_url).toContain("refused-users.csv");
  const ann = await sender.user({ email: "new1@example.com" });
  expect(ann).toMatchObject({ name: "Ann", traits_seats: 13, traits_signed_up_at: "2024-05-12T00:00:00.000Z" });
  expect(await sender.user({ email: "new2@example.com" })).toMatchObject({ name: "Smith; Bob" });
  expect(Object.keys(ann).join()).not.toContain("notes");
});

test("the beginning of a file shows its columns with types, suggestions and conflicts", async () => {
  const url = await upload(PEOPLE);
  const { body } = await call<{ columns: object[] }>(server, "POST", "/imports/inspect", { url });
  expect(body).toMatchObject({ format: "csv", delimiter: ";", header: true, sampled_rows: 8, is_whole: true });
  expect(body.columns).toMatchObject([
    { column: "E-mail", filled: 7, suggestion: { to: "identifier", name: "email" } },
    { column: "Full name", suggestion: { to: "attribute", name: "name", type: "string" } },
    {
      column: "Seats",
      type: "string",
      known_type: "numeric",
      suggestion: { to: "attribute", name: "seats", type: "numeric" },
      conflict: expect.stringContaining("2 values of 8"),
    },
    { column: "Signed up", type: "date" },
    { column: "Notes" },
  ]);
  const json = await upload(gzipSync('{"userId":"1","traits":{"plan":"pro"}}\n{"userId":"2"}\n'));
  expect((await call(server, "POST", "/imports/inspect", { url: json })).body).toMatchObject({
    format: "json",
    columns: [
      { column: "userId", suggestion: { to: "identifier", name: "external_id" } },
      { column: "traits.plan", suggestion: { to: "attribute", name: "plan" }, filled: 1 },
    ],
    rows: [
      ["1", "pro"],
      ["2", null],
    ],
  });
  expect(await call(server, "POST", "/imports/inspect", { url: await upload("") })).toMatchObject({ status: 400 });
});

test("a file in which no row ends soon is refused with the likely reason", async () => {
  const url = await upload(`email,notes\nann@example.com,"${"never closed\n".repeat(30_000)}`);
  expect(await call(server, "POST", "/imports/inspect", { url })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("A quote that is not closed") } },
  });
});

test("an import of a CSV file with a quote that never closes fails, and says where the quote is", async () => {
  const rows = ["email,notes", "before@example.com,x", 'quote@example.com,"y', "inside@example.com,z", ""];
  const url = await upload(rows.join("\n"));
  const error =
    "The row that begins in line 3 has a quote that never closes, so the rows after it cannot be told apart.";
  expect(await runJob(server, "/import/users", { url, format: "csv" })).toMatchObject({ status: "failed", error });
  const again = { url: await upload(rows.join("\n")) };
  expect(await call(server, "POST", "/imports/inspect", again)).toMatchObject({
    body: { rows: [["before@example.com", "x"]] },
  });
  const only = await upload('email\n"quote@example.com\n');
  expect(await call(server, "POST", "/imports/inspect", { url: only })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("line 2 has a quote that never closes") } },
  });
});

test("a file with very many columns is inspected", async () => {
  const header = ["email", ...Array.from({ length: 10_000 }, () => "x")].join(",");
  const url = await upload(`${header}\nwide@example.com,1\n`);
  const { status, body } = await call<{ columns: object[] }>(server, "POST", "/imports/inspect", { url });
  expect([status, body.columns.length]).toEqual([200, 2_000]);
});

test("the beginning of a file at an address is read too, but not for viewers, and other answers are refused", async () => {
  const web = await startWebServer((request, response) => {
    response.writeHead(request.url === "/people.csv" ? 200 : 404).end(PEOPLE);
  });
  const url = `${web.url}/people.csv`;
  expect((await call(server, "POST", "/imports/inspect", { url })).body).toMatchObject({ sampled_rows: 8 });
  const missing = await call(server, "POST", "/imports/inspect", { url: `${web.url}/none` });
  expect(missing).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining("404") } } });
  const inspectAs = async (role: "viewer" | "editor") => {
    const { headers } = await signInAs(server, role);
    return server.app.inject({ method: "POST", url: "/api/v1/imports/inspect", headers, payload: { url } });
  };
  expect([(await inspectAs("viewer")).statusCode, (await inspectAs("editor")).statusCode]).toEqual([403, 200]);
  await web.close();
});

test("JSON lines take a mapping, and their refused rows are JSON", async () => {
  const url = await upload('{"uid":"j1","plan":{"seats":"4"}}\n{"uid":"j2","plan":"none"}\nbroken\n');
  const columns = [
    { column: "uid", to: "identifier", name: "external_id" },
    { column: "plan", to: "attribute", name: "details", type: "json" },
  ];
  const job = (await runJob(server, "/import/users", { url, format: "json", columns })) as Job;
  expect(job).toMatchObject({ status: "completed", result: { records: 3, rejected: 2 } });
  expect(await sender.user({ external_id: "j1" })).toMatchObject({ traits_details: { seats: "4" } });
  expect(jsonLines(await download(server, job.refused_rows_url))).toEqual([
    { line: 2, reason: 'The column "plan" is not a JSON object.', record: { uid: "j2", plan: "none" } },
    { line: 3, reason: "The record is not valid JSON.", record: "broken" },
  ]);
});

test("refused records of a JSON list that spans lines are on one line each, with every digit", async () => {
  const url = await upload('[\n  {\r\n    "uid": "p1",\n    "size": 12345678901234567890\n  },\n  {"userId": "p2"}\n]');
  const job = (await runJob(server, "/import/users", { url, format: "json" })) as Job;
  expect(job).toMatchObject({ status: "completed", result: { records: 2, rejected: 1 } });
  const refused = await download(server, job.refused_rows_url);
  expect(refused.trimEnd().split("\n")).toHaveLength(1);
  expect(refused).toContain("12345678901234567890");
  expect(jsonLines(refused)).toMatchObject([{ line: 1, record: { uid: "p1" } }]);
});

test("events of a CSV file get the same name, and their properties have types", async () => {
  const url = await upload("user,when,total\ne1,2024-05-12T10:00:00Z,12.5\ne1,2024-05-13T10:00:00Z,\n");
  const columns = [
    { column: "user", to: "identifier", name: "external_id" },
    { value: "Paid", to: "field", name: "event" },
    { column: "when", to: "field", name: "created_at" },
    { column: "total", to: "property", type: "numeric" },
  ];
  const job = await runJob(server, "/import/events", { url, format: "csv", columns });
  expect(job).toMatchObject({ status: "completed", result: { records: 2, rejected: 0 } });
  const events = await sender.events({ event: "Paid" });
  expect(events.map(({ properties }) => properties)).toEqual(expect.arrayContaining([{ total: 12.5 }, {}]));
});

test("a mapping that identifies nobody, or that gives two columns the same name, is refused", async () => {
  const url = await upload("a,b\n1,2\n");
  for (const columns of [
    [{ column: "a", to: "attribute" }],
    [
      { column: "a", to: "identifier", name: "external_id" },
      { column: "b", to: "identifier", name: "external_id" },
    ],
    [{ column: "a", to: "identifier", name: "shoe_size" }],
  ]) {
    expect(await call(server, "POST", "/import/users", { url, format: "csv", columns })).toMatchObject({ status: 400 });
  }
});

test("the refused rows cannot be downloaded any more once somebody was erased who may be in them", async () => {
  const url = await upload("email,seats\nerase-me@example.com,1\nother@example.com,many\n");
  const columns = [
    { column: "email", to: "identifier" },
    { column: "seats", to: "attribute", type: "numeric" },
  ];
  const job = (await runJob(server, "/import/users", { url, format: "csv", columns })) as Job;
  expect(await download(server, job.refused_rows_url)).toContain("other@example.com");
  const { id } = await sender.user({ email: "erase-me@example.com" });
  const { position } = (await sender.call("DELETE", `/${id}`)).json<{ position: string }>();
  await sender.waitFor(position);
  await expect(download(server, job.refused_rows_url)).rejects.toThrow("404");
});
