// @module-tag long
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, PATIENCE, runJob } from "../testing/bulk.js";
import { placesOf } from "../testing/everything-stored.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const ADA = { external_id: "ada-ext-1815", email: "ada@lovelace.example", anonymous_id: "ada-cookie-1815" };
const IDENTIFIERS = Object.values(ADA);
const SHORT = { external_id: "a7" };
const BOB = { external_id: "bob" };

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

interface Receipt {
  status: string;
  cleaned: Record<string, number> | null;
  left: { kind: string; id: string; object_id?: string; why: string }[];
}

async function operator<Answer>(method: "GET" | "POST" | "DELETE", path: string, payload?: object): Promise<Answer> {
  const headers = server.operatorHeaders;
  const answer = await server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
  expect([answer.statusCode, answer.body]).toEqual([expect.toSatisfy((status) => status < 300), expect.any(String)]);
  return answer.json<Answer>();
}

async function upload(lines: string): Promise<string> {
  const { body } = await call<{ id: string; url: string }>(server, "POST", "/uploads");
  const sent = await server.app.inject({
    method: "PUT",
    url: `/api/v1/uploads/${body.id}?offset=0`,
    headers: { ...server.connectorHeaders, "content-type": "application/octet-stream" },
    payload: lines,
  });
  expect(sent.statusCode).toBe(200);
  return body.url;
}

async function receiptOf(id: string): Promise<Receipt> {
  return (await sender.call("GET", `/erasures/${id}`)).json<Receipt>();
}

const auditIds = async () =>
  (await server.database.query<{ id: number }>("select id from audit_log order by id")).rows.map((row) => row.id);

test("an erased user is in nothing that people wrote, except in what the receipt lists", async () => {
  await sender.settle([
    sender.traits({ user: ADA }, { name: "Ada" }),
    sender.traits({ user: SHORT }, { name: "Short" }),
    sender.traits({ user: BOB }, { name: "Bob" }),
  ]);
  const [{ id }, { id: bobId }] = [await sender.user(ADA), await sender.user(BOB)];
  const predicate = {
    type: "all",
    predicates: [{ property: { key: "email", type: "string" }, operator: "equals", options: { value: [ADA.email] } }],
  };
  const view = await operator<{ id: number }>("POST", "/views", {
    name: `Only ${ADA.email}`,
    target: "user",
    search: `${ADA.email.toUpperCase()} ${ADA.external_id} bob`,
    predicate,
  });
  const ordered = { event: "Ordered", where: { term: { "properties.email": ADA.email } } };
  await operator("POST", "/insights", { name: `Orders of ${ADA.email}`, question: { trend: { series: [ordered] } } });
  const segment = await operator<{ id: string }>("POST", "/users_segments", {
    name: "Ada alone",
    query: { term: { email: ADA.email } },
    predicate: {},
  });
  const computed = await operator<{ id: string }>("POST", "/computed_attributes", {
    target: "user",
    name: "ordered_for_ada",
    compute: { count: ordered },
  });
  const write = async (object: string, text: string) =>
    (await sender.call("POST", `/${object}/comments`, { payload: { text } })).json<{ id: string }>().id;
  const comment = await write(String(bobId), `${ADA.email} asked about Bob`);
  await write(String(bobId), "nothing about anybody else");
  const extract = await runJob(server, "/extract/users", {
    url: null,
    format: "json",
    name: `People like ${ADA.email}`,
    query: { terms: { external_id: [ADA.external_id, "bob"] } },
  });
  await upload(JSON.stringify({ userId: ADA.external_id, email: ADA.email }));
  const before = await placesOf(server, ...IDENTIFIERS);
  expect(before).toEqual(
    expect.arrayContaining([
      "audit_log",
      "comments",
      "computed_attributes",
      "jobs",
      "saved_insights",
      "segments",
      "views",
    ]),
  );
  expect(before.some((place) => place.startsWith("files/imports/uploads"))).toBe(true);
  const audited = await auditIds();

  await sender.call("DELETE", `/${id}`);
  const receipt = await vi.waitUntil(async () => {
    const found = await receiptOf(String(id));
    return found.status === "complete" ? found : undefined;
  }, PATIENCE);
  expect(receipt.cleaned).toMatchObject({ views: 2, jobs: 1, uploads: 1, audit_entries: expect.any(Number) });
  expect(receipt.cleaned?.audit_entries).toBeGreaterThan(0);
  expect(receipt.left).toEqual([
    { kind: "comment", id: comment, object_id: bobId, why: expect.any(String) },
    { kind: "segment", id: segment.id, why: expect.any(String) },
    { kind: "computed_attribute", id: computed.id, why: expect.any(String) },
  ]);
  expect(JSON.stringify(receipt)).not.toMatch(/lovelace|1815/i);
  await vi.waitFor(
    async () => expect(await placesOf(server, ...IDENTIFIERS)).toEqual(["comments", "computed_attributes", "segments"]),
    PATIENCE,
  );

  const views = await operator<{ id: number; name: string; search: string; predicate: unknown }[]>("GET", "/views");
  expect(views.find((one) => one.id === view.id)).toMatchObject({ name: `Only ${id}`, search: `${id} ${id} bob` });
  expect(JSON.stringify(views)).toContain(`"value":["${id}"]`);
  expect(await operator("GET", "/insights")).toMatchObject([{ name: `Orders of ${id}` }]);
  const { rows } = await server.database.query<{ name: string; parameters: { query: unknown } }>(
    "select name, parameters from jobs where id = $1",
    [extract.id],
  );
  expect(rows[0]).toMatchObject({
    name: `People like ${id}`,
    parameters: { query: { terms: { external_id: [id, "bob"] } } },
  });
  // No entry of the audit log is missing, and what was done stays readable.
  expect((await auditIds()).slice(0, audited.length)).toEqual(audited);
  const entries = await operator<unknown[]>("GET", "/audit?per_page=100");
  expect(JSON.stringify(entries)).toContain(`Only ${id}`);
  expect(await sender.isKnown(BOB)).toBe(true);

  // The audit log keeps that the segment was deleted, without the query.
  await operator("DELETE", `/${segment.id}`);
  await operator("DELETE", `/computed_attributes/${computed.id}?values=keep`);
  await sender.call("DELETE", `/${comment}`);
  expect((await receiptOf(String(id))).left).toEqual([]);
  await vi.waitFor(async () => expect(await placesOf(server, ...IDENTIFIERS)).toEqual([]), PATIENCE);
}, 180_000);

test("a short identifier is replaced where its kind stands beside it, and nowhere else", async () => {
  const { id } = await sender.user(SHORT);
  const view = await operator<{ id: number }>("POST", "/views", {
    name: "Sizes a7 and a8",
    target: "user",
    search: "external_id:a7",
    predicate: { type: "all", predicates: [] },
  });
  await server.database.query("update erased set cleaned_at = cleaned_at - interval '1 hour'");
  await sender.call("DELETE", `/${id}`);
  await vi.waitUntil(async () => (await receiptOf(String(id))).status === "complete", PATIENCE);
  const views = await operator<{ id: number; name: string; search: string }[]>("GET", "/views");
  expect(views.find((one) => one.id === view.id)).toMatchObject({
    name: "Sizes a7 and a8",
    search: `external_id:${id}`,
  });
}, 120_000);
