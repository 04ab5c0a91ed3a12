import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startWebServer, type WebServer } from "../../../../../testing/start-web-server.js";
import { call, download, type JobAnswer, jsonLines, PATIENCE, runJob } from "../../testing/bulk.js";
import { readParquet } from "../../testing/read-parquet.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let web: WebServer;
let files: Record<string, string>;
const calls: { path: string; body: Record<string, unknown> }[] = [];
let answerWith = 200;

beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  web = await startWebServer(async (request, response) => {
    if (request.method === "POST") {
      calls.push({ path: request.url ?? "", body: (await json(request)) as Record<string, unknown> });
      response.writeHead(answerWith).end();
    } else response.end(files[request.url ?? ""]);
  });
  files = {
    "/accounts": '{"accountId":"acme","traits":{"plan":"enterprise","name":"Acme \\"Inc\\""}}',
    "/users": [
      { userId: "x1", accountId: "acme", email: "x1@example.com", traits: { plan: "pro", mrr: 12.5, vip: true } },
      { userId: "x2", traits: { plan: "free", "crm/note": 'a "quoted", line\r\nand another', list: [1, "b"] } },
      { userId: "x3", traits: { plan: "pro", "odd`name\\": "kept", signed_at: "2024-01-02" } },
    ]
      .map((user) => JSON.stringify(user))
      .join("\n"),
    "/events": [
      { userId: "x1", event: "Bought", eventId: "e1", timestamp: "2024-05-01T00:00:00Z", properties: { price: 3 } },
      { userId: "x2", event: "Bought", eventId: "e2", timestamp: "2024-05-02T00:00:00Z", properties: { price: 4 } },
      { userId: "x1", event: "Left", eventId: "e3", timestamp: "2024-05-03T00:00:00Z", properties: { why: "=1+1" } },
    ]
      .map((event) => JSON.stringify(event))
      .join("\n"),
  };
  for (const object of ["accounts", "users", "events"]) {
    const job = await runJob(server, `/import/${object}`, { url: `${web.url}/${object}`, format: "json" });
    if (job.progress.rejected > 0) throw new Error(await download(server, job.rejected_url));
  }
});
afterAll(async () => {
  await web.close();
  await server.close();
});

async function extract(object: string, parameters: object = {}): Promise<{ job: JobAnswer; content: string }> {
  const job = await runJob(server, `/extract/${object}`, { url: null, format: "json", query: {}, ...parameters });
  expect(job).toMatchObject({ status: "completed", error: null });
  return { job, content: await download(server, job.download_url) };
}

/** The header and the rows of a CSV file. The rows are sorted, because files promise no order. */
function sortedRows(content: string): string[] {
  const [header = "", ...rows] = content.split(/(?<=\r\n)(?=")/);
  return [header, ...rows.sort()];
}

const byExternalId = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  String(one.external_id).localeCompare(String(other.external_id));

describe("an extract of users", () => {
  test("as JSON has one report a line, with segments and account", async () => {
    const { job, content } = await extract("users");
    const users = jsonLines(content).sort(byExternalId);
    expect(job).toMatchObject({ type: "extract", object: "users", progress: { processed: 3, total: 3 } });
    expect(job.progress.processed_bytes).toBe(Buffer.byteLength(content));
    expect(users).toMatchObject([
      { external_id: "x1", traits_plan: "pro", segment_ids: [], account: { plan: "enterprise", segment_ids: [] } },
      { external_id: "x2", traits_list: [1, "b"], account: null },
      { external_id: "x3", "traits_odd`name\\": "kept", account: null },
    ]);
  });

  test("holds the same reports as the search", async () => {
    const { content } = await extract("users");
    const { body } = await call<{ data: Record<string, unknown>[] }>(server, "POST", "/search/user_reports", {});
    expect(jsonLines(content).sort(byExternalId)).toEqual(body.data.sort(byExternalId));
  });

  test("holds the users that the query selects, and no others", async () => {
    const { content } = await extract("users", { query: { bool: { filter: [{ term: { "plan.exact": "pro" } }] } } });
    expect(
      jsonLines(content)
        .map(({ external_id }) => external_id)
        .sort(),
    ).toEqual(["x1", "x3"]);
    const none = await extract("users", { query: { term: { plan: "nothing" } } });
    expect(none).toMatchObject({ content: "", job: { progress: { processed: 0, total: 0 } } });
  });

  test("shows the segments of users, and can select the members of one", async () => {
    const segment = await call<{ id: string }>(server, "POST", "/users_segments", {
      name: "Pros",
      query: { term: { plan: "pro" } },
      predicate: {},
    });
    const { id } = segment.body;
    await expect
      .poll(async () => (await call<{ stats: { users: number } }>(server, "GET", `/${id}`)).body.stats.users, PATIENCE)
      .toBe(2);
    const { content } = await extract("users", { query: { term: { segment_ids: id } } });
    expect(jsonLines(content).sort(byExternalId)).toMatchObject([
      { external_id: "x1", segment_ids: [id] },
      { external_id: "x3", segment_ids: [id] },
    ]);
    const csv = await extract("users", { format: "csv", fields: ["external_id", "segment_ids"] });
    expect(csv.content.split("\r\n").sort()).toEqual(
      ["", '"external_id","segment_ids"', `"x1","[""${id}""]"`, '"x2","[]"', `"x3","[""${id}""]"`].sort(),
    );
  });

  test("as JSON holds everything, also when fields are requested", async () => {
    const { content } = await extract("users", { fields: ["email"] });
    expect(content.split("\n").sort()).toEqual((await extract("users")).content.split("\n").sort());
  });

  test("as CSV has the requested fields in their order, with or without the prefix", async () => {
    const fields = ["external_id", "traits_plan", "mrr", "vip", "account.plan", "nothing", "email"];
    const { content, job } = await extract("users", { format: "csv", fields });
    expect(sortedRows(content)).toEqual([
      '"external_id","traits_plan","mrr","vip","account.plan","nothing","email"\r\n',
      '"x1","pro","12.5","true","enterprise",,"x1@example.com"\r\n',
      '"x2","free",,,,,\r\n',
      '"x3","pro",,,,,\r\n',
    ]);
    expect(job.progress.processed).toBe(3);
  });

  test("as CSV quotes values where CSV needs it", async () => {
    const fields = ["external_id", "crm/note", "list", "odd`name\\", 'a "field"'];
    const { content, job } = await extract("users", { format: "csv", fields });
    expect(sortedRows(content)).toEqual([
      '"external_id","crm/note","list","odd`name\\","a ""field"""\r\n',
      '"x1",,,,\r\n',
      '"x2","a ""quoted"", line\r\nand another","[1,""b""]",,\r\n',
      '"x3",,,"kept",\r\n',
    ]);
    expect(job.progress.processed).toBe(3);
  });

  test("as CSV has a quote in front of formulas, in cells and in the header, unless formulas are wanted", async () => {
    const request = { format: "csv", fields: ["event", "properties.why", "@why"], query: { term: { event: "Left" } } };
    const { content } = await extract("events", request);
    expect(content).toBe(`"event","properties.why","'@why"\r\n"Left","'=1+1",\r\n`);
    const raw = await extract("events", { ...request, csv_formulas: true });
    expect(raw.content).toBe('"event","properties.why","@why"\r\n"Left","=1+1",\r\n');
  });

  test("as CSV without requested fields has every field, always in the same order", async () => {
    const { content } = await extract("users", { format: "csv", query: { term: { external_id: "x3" } } });
    const header = content.slice(0, content.indexOf("\r\n"));
    expect(header).toMatch(/^"id","email",.*"segment_ids",.*"traits_crm\/note","traits_list","traits_mrr"/);
    expect(content).toContain('"2024-01-02T00:00:00.000Z"');
  });

  test("leaves out hidden attributes", async () => {
    await call(server, "PUT", "/settings/user_traits/vip?visible=false");
    await call(server, "PUT", "/settings/account_traits/plan?visible=false");
    try {
      const { content } = await extract("users", { query: { term: { external_id: "x1" } } });
      const [user] = jsonLines(content);
      expect(user).toMatchObject({ traits_plan: "pro", account: { external_id: "acme" } });
      expect(user).not.toHaveProperty("traits_vip");
      expect(user?.account).not.toHaveProperty("plan");
      const csv = await extract("users", { format: "csv", fields: ["external_id", "vip", "account.plan"] });
      expect(csv.content).toContain('"x1",,\r\n');
    } finally {
      await call(server, "PUT", "/settings/user_traits/vip?visible=true");
      await call(server, "PUT", "/settings/account_traits/plan?visible=true");
    }
  });

  test("as Parquet has the values of the JSON extract, with types", async () => {
    const fields = ["external_id", "mrr", "vip", "created_at", "account.plan", "segment_ids", "list"];
    const job = await runJob(server, "/extract/users", { url: null, format: "parquet", fields, query: {} });
    expect(job).toMatchObject({ status: "completed", progress: { processed: 3, total: 3 } });
    const { pathname, search } = new URL(job.download_url ?? "");
    const answer = await server.app.inject(pathname + search);
    expect(answer.headers).toMatchObject({
      "content-type": "application/vnd.apache.parquet",
      "content-disposition": 'attachment; filename="users.parquet"',
    });
    const path = join(await mkdtemp(join(tmpdir(), "muster-extract-")), "users.parquet");
    await writeFile(path, answer.rawPayload);
    const { rows, types } = await readParquet(path);
    await rm(dirname(path), { recursive: true });
    expect(types).toMatchObject({ mrr: "DOUBLE", vip: "BOOLEAN", segment_ids: "VARCHAR[]" });
    const reports = jsonLines((await extract("users")).content).sort(byExternalId);
    const expected = reports.map((report) => ({
      external_id: report.external_id,
      mrr: report.traits_mrr ?? null,
      vip: report.traits_vip ?? null,
      created_at: new Date(String(report.created_at)),
      "account.plan": (report.account as { plan?: string } | null)?.plan ?? null,
      segment_ids: report.segment_ids,
      list: report.traits_list === undefined ? null : expect.anything(),
    }));
    expect(rows.sort(byExternalId)).toEqual(expected);
  });

  test("can be imported, and a new extract is the same", async () => {
    const { content } = await extract("users");
    files["/again"] = content;
    const job = await runJob(server, "/import/users", { url: `${web.url}/again`, format: "json" });
    expect(job).toMatchObject({ status: "completed", progress: { processed: 3, rejected: 0 } });
    const reports = (text: string) =>
      jsonLines(text)
        .map(({ indexed_at: _indexed, updated_at: _updated, ...report }) => report)
        .sort(byExternalId);
    const again = await extract("users");
    expect(reports(again.content)).toEqual(reports(content));
  });
});

describe("an extract of accounts or events", () => {
  test("holds accounts, under both paths", async () => {
    for (const path of ["accounts", "account_reports"]) {
      const { content } = await extract(path);
      expect(jsonLines(content)).toMatchObject([{ external_id: "acme", plan: "enterprise", segment_ids: [] }]);
    }
    const csv = await extract("accounts", { format: "csv", fields: ["name", "plan"] });
    expect(csv.content).toBe('"name","plan"\r\n"Acme ""Inc""","enterprise"\r\n');
  });

  test("holds events", async () => {
    const { content } = await extract("events", { query: { term: { event: "Bought" } } });
    const byEventId = (one: Record<string, unknown>, other: Record<string, unknown>) =>
      String(one.event_id).localeCompare(String(other.event_id));
    expect(jsonLines(content).sort(byEventId)).toMatchObject([
      { event: "Bought", event_id: "e1", properties: { price: 3 } },
      { event: "Bought", event_id: "e2", properties: { price: 4 } },
    ]);
    const csv = await extract("events", {
      format: "csv",
      fields: ["event", "event_id", "properties.price", "type"],
      query: { terms: { event: ["Bought", "Left"] } },
    });
    expect(sortedRows(csv.content)).toEqual([
      '"event","event_id","properties.price","type"\r\n',
      '"Bought","e1","3","track"\r\n',
      '"Bought","e2","4","track"\r\n',
      '"Left","e3",,"track"\r\n',
    ]);
  });
});

describe("the address that an extract was requested with", () => {
  test("is called with the location of the file, which answers GET and POST", async () => {
    await runJob(server, "/extract/user_reports", { url: `${web.url}/batch?x=1`, format: "json", query: {} });
    const told = await vi.waitUntil(() => calls.find(({ path }) => path === "/batch?x=1"), PATIENCE);
    expect(told.body).toMatchObject({
      format: "json",
      object_type: "user_report",
      channel: "user:extract",
      job_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      segments: expect.any(Array),
      accounts_segments: [],
    });
    const { pathname, search } = new URL(String(told.body.url));
    for (const method of ["GET", "POST"] as const) {
      const answer = await server.app.inject({ method, url: pathname + search });
      expect(jsonLines(answer.body)).toHaveLength(3);
    }
    const posted = await server.app.inject({
      method: "POST",
      url: pathname + search,
      headers: { "content-type": "application/json" },
    });
    expect(posted.statusCode).toBe(200);
  });

  test("is called again when a call fails, and the job shows that", async () => {
    answerWith = 503;
    const { id } = await runJob(server, "/extract/users", { url: `${web.url}/down`, format: "json", query: {} });
    const job = await vi.waitUntil(async () => {
      const { body } = await call<JobAnswer>(server, "GET", `/${id}`);
      return body.callback?.error ? body : undefined;
    }, PATIENCE);
    expect(job).toMatchObject({
      status: "completed",
      callback: { attempts: 1, error: "It answered with status 503." },
    });
    answerWith = 200;
    await server.database.query("update jobs set callback_due_at = now() where id = $1", [id]);
    await expect
      .poll(async () => (await call<JobAnswer>(server, "GET", `/${id}`)).body.callback, PATIENCE)
      .toMatchObject({ attempts: 2, error: null, next_at: null });
  });
});

describe("a download", () => {
  let job: JobAnswer;
  let content: string;
  let url: string;
  beforeAll(async () => {
    ({ job, content } = await extract("users", { format: "csv", fields: ["external_id", "plan"] }));
    const { pathname, search } = new URL(job.download_url ?? "");
    url = pathname + search;
  });

  test("has headers that describe the file", async () => {
    const { headers } = await server.app.inject(url);
    expect(headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-length": String(content.length),
      "content-disposition": 'attachment; filename="users.csv"',
      "accept-ranges": "bytes",
    });
  });

  test.each([
    ["bytes=0-4", 0, 5],
    ["bytes=5-", 5, undefined],
    ["bytes=-7", -7, undefined],
    ["bytes=3-999999", 3, undefined],
  ])("answers the range %s", async (range, start, end) => {
    const answer = await server.app.inject({ url, headers: { range } });
    expect(answer.statusCode).toBe(206);
    expect(answer.body).toBe(content.slice(start, end));
    expect(answer.headers["content-range"]).toMatch(new RegExp(`^bytes \\d+-\\d+/${content.length}$`));
  });

  test("refuses a range beyond the end, and ignores a range of another file", async () => {
    const beyond = await server.app.inject({ url, headers: { range: "bytes=999999-" } });
    expect(beyond).toMatchObject({ statusCode: 416, headers: { "content-range": `bytes */${content.length}` } });
    const other = await server.app.inject({ url, headers: { range: "bytes=0-4", "if-range": '"another"' } });
    expect(other).toMatchObject({ statusCode: 200, body: content });
  });

  test("is compressed when asked", async () => {
    await server.listen();
    for (const [suffix, encoding] of [
      ["", "gzip"],
      ["&gzip=true", "identity"],
    ]) {
      const answer = await fetch(`${server.url}${url}${suffix}`, { headers: { "accept-encoding": encoding ?? "" } });
      expect(answer.headers.get("content-encoding")).toBe("gzip");
      expect(await answer.text()).toBe(content);
    }
  });

  test("is refused with another signature, for another file, and after it expires", async () => {
    const changed = [
      url.replace(/signature=./, "signature=x"),
      url.replace("users.csv", "users.json"),
      url.replace(/expires=\d+/, "expires=9999999999"),
    ];
    for (const address of changed) expect((await server.app.inject(address)).statusCode).toBe(403);
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(job.expires_at ?? "").getTime() + 1_000 });
    try {
      expect((await server.app.inject(url)).statusCode).toBe(403);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the call", () => {
  test("names every missing parameter", async () => {
    const { status, body } = await call<{ error: { details: { path: string }[] } }>(
      server,
      "POST",
      "/extract/users",
      {},
    );
    expect(status).toBe(400);
    expect(body.error.details.map(({ path }) => path)).toEqual(["body.url", "body.format", "body.query"]);
  });

  test("refuses a query that cannot be answered, and names the place", async () => {
    const { status, body } = await call<{ error: { code: string; details: { path: string }[] } }>(
      server,
      "POST",
      "/extract/users",
      { url: null, format: "json", query: { bool: { must: [{ nonsense: {} }] } } },
    );
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "invalid_query", details: [{ path: "query.bool.must.0.nonsense" }] });
  });

  test("refuses other formats and addresses", async () => {
    const body = { url: null, format: "xml", query: {} };
    expect((await call(server, "POST", "/extract/users", body)).status).toBe(400);
    const address = { url: "javascript:alert(1)", format: "json", query: {} };
    expect((await call(server, "POST", "/extract/users", address)).status).toBe(400);
  });
});
