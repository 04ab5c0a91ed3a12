import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../../../testing/start-web-server.js";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import { decompress } from "../../storage/logs/compression.js";
import { call, download, ended, type JobAnswer, jsonLines, PATIENCE, runJob } from "../../testing/bulk.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let web: WebServer;
let files: Record<string, { status?: number; content: string | Buffer }>;

beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  web = await startWebServer((request, response) => {
    const { status = 200, content } = files[request.url ?? ""] ?? { status: 404, content: "" };
    response.writeHead(status).end(content);
  });
});
beforeEach(() => {
  files = {};
});
afterAll(async () => {
  await web.close();
  await server.close();
});

/** Serves a file and imports it. */
function importFile(content: string | Buffer, parameters: object = {}, object = "users"): Promise<JobAnswer> {
  files["/file.json"] = { content };
  return runJob(server, `/import/${object}`, { url: `${web.url}/file.json`, format: "json", ...parameters });
}

async function findUsers(query: object): Promise<Record<string, unknown>[]> {
  const { body } = await call<{ data: Record<string, unknown>[] }>(server, "POST", "/search/user_reports", {
    query,
    per_page: 100,
    sort: { external_id: "asc" },
  });
  return body.data;
}

async function findEvents(event: string): Promise<Record<string, unknown>[]> {
  const { body } = await call<{ data: Record<string, unknown>[] }>(server, "POST", "/search/events", {
    query: { term: { event } },
    per_page: 100,
  });
  return body.data;
}

async function accountOf(externalId: string): Promise<Record<string, unknown> | undefined> {
  const { body } = await call<{ data: Record<string, unknown>[] }>(server, "POST", "/search/account_reports", {
    query: { term: { external_id: externalId } },
  });
  return body.data[0];
}

describe("an import of users", () => {
  test("is completed once they are searchable, and shows the result", async () => {
    const job = await importFile('{"userId":"a1","traits":{"plan":"pro"}}\n{"external_id":"a2","plan":"free"}\n');
    expect(job).toMatchObject({
      type: "import",
      object: "users",
      status: "completed",
      name: "file.json",
      description: "",
      progress: { processed: 2, total: 2, rejected: 0 },
      result: { records: 2, rejected: 0 },
    });
    expect(job.progress.processed_bytes).toBe(job.progress.total_bytes);
    expect(await findUsers({ terms: { external_id: ["a1", "a2"] } })).toMatchObject([
      { external_id: "a1", traits_plan: "pro" },
      { external_id: "a2", traits_plan: "free" },
    ]);
  });

  test("takes a JSON array, and gzip under any file name", async () => {
    const users = [
      { email: "array@example.com", note: 'brackets ]}[{ and "quotes", too' },
      { email: "other@example.com", note: "b" },
    ];
    const job = await importFile(gzipSync(JSON.stringify(users, null, 2)));
    expect(job).toMatchObject({ status: "completed", progress: { processed: 2 } });
    const [found] = await findUsers({ term: { email: "array@example.com" } });
    expect(found?.traits_note).toBe('brackets ]}[{ and "quotes", too');
  });

  test("goes through more than one chunk in the order of the file", async () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => JSON.stringify({ userId: `many${index}`, size: index }));
    lines.push(JSON.stringify({ userId: "many0", size: -1 }));
    const job = await importFile(lines.join("\n"), { overwrite: true });
    expect(job).toMatchObject({ status: "completed", progress: { processed: 9_001, total: 9_001 } });
    expect(await findUsers({ term: { external_id: "many0" } })).toMatchObject([{ traits_size: -1 }]);
    const { body } = await call<{ pagination: { total: number } }>(server, "POST", "/search/user_reports", {
      query: { prefix: { external_id: "many" } },
      per_page: 0,
    });
    expect(body.pagination.total).toBe(9_000);
  });

  test("links users to the accounts they name", async () => {
    await importFile('{"userId":"linked","accountId":"acme"}');
    const [user] = await findUsers({ term: { external_id: "linked" } });
    expect(user?.account).toMatchObject({ external_id: "acme" });
  });

  test("keeps existing values unless it overwrites", async () => {
    await importFile('{"userId":"w1","plan":"old","kept":1}');
    await importFile('{"userId":"w1","plan":"new","added":2,"kept":null}');
    expect(await findUsers({ term: { external_id: "w1" } })).toMatchObject([
      { traits_plan: "old", traits_kept: 1, traits_added: 2 },
    ]);
    await importFile('{"userId":"w1","plan":"new"}', { overwrite: true });
    expect(await findUsers({ term: { external_id: "w1" } })).toMatchObject([{ traits_plan: "new", traits_kept: 1 }]);
  });

  test("gives every user the traits of the call, and values of the file win", async () => {
    await importFile('{"userId":"t1","plan":"pro"}\n{"userId":"t2"}', { traits: { plan: "free", source: "csv" } });
    expect(await findUsers({ terms: { external_id: ["t1", "t2"] } })).toMatchObject([
      { traits_plan: "pro", traits_source: "csv" },
      { traits_plan: "free", traits_source: "csv" },
    ]);
  });

  test("emits an Imported User event per user when asked, with exactly the documented properties", async () => {
    await importFile('{"userId":"e1"}');
    const job = await importFile('{"userId":"e1"}\n{"userId":"e2"}\n{"userId":"e2","plan":"again"}', {
      emit_event: true,
      name: "Spring",
      description: "The spring list",
      traits: { campaign: "spring" },
    });
    const told = { campaign: "spring", job_id: job.id, job_name: "Spring", job_description: "The spring list" };
    const events = await findEvents("Imported User");
    const actions = events.map(({ properties }) => properties);
    expect(actions).toHaveLength(3);
    expect(actions).toEqual(
      expect.arrayContaining([
        { ...told, action: "new" },
        { ...told, action: "updated" },
      ]),
    );
    expect(actions.filter((properties) => (properties as { action: string }).action === "new")).toHaveLength(1);
    expect(events).toMatchObject([{ event_source: "platform" }, {}, {}]);
  });

  test("has the name of its file and no description unless they are given, also in the event", async () => {
    const job = await importFile('{"userId":"unnamed"}', { emit_event: true });
    expect(job).toMatchObject({ name: "file.json", description: "" });
    const events = (await findEvents("Imported User")).map(({ properties }) => properties);
    expect(events).toContainEqual({ job_id: job.id, job_name: "file.json", job_description: "", action: "new" });
  });

  test("refuses lines one by one, with their numbers and reasons in a file", async () => {
    await importFile('{"userId":"typed","size":1}');
    const bad = [
      '{"userId":"ok"}',
      "not json",
      "",
      '{"plan":"nobody"}',
      '{"userId":"typed","size":"a text"}',
      `"${"x".repeat(1_100_000)}"`,
    ];
    const job = await importFile(bad.join("\n"), { overwrite: true });
    expect(job).toMatchObject({ status: "completed", progress: { processed: 5, rejected: 4 } });
    expect(jsonLines(await download(server, job.rejected_url))).toEqual([
      { line: 2, code: "invalid_entry", message: "The record is not valid JSON." },
      { line: 4, code: "invalid_entry", message: expect.stringContaining("names no user") },
      { line: 5, code: "invalid_attribute", message: expect.stringContaining('"size"') },
      { line: 6, code: "invalid_entry", message: "The record is longer than 1048576 bytes." },
    ]);
  });

  test("can be a dry run: it counts what would be new, updated and refused, and writes nothing", async () => {
    await importFile('{"userId":"dry1","size":1}');
    const lines = [
      '{"userId":"dry1","size":2}',
      '{"userId":"dry2"}',
      '{"userId":"dry2","a":1}',
      '{"userId":"dry3","size":"x"}',
      "{",
    ];
    const job = await importFile(lines.join("\n"), { dry_run: true, overwrite: true });
    expect(job).toMatchObject({ status: "completed", result: { records: 5, new: 2, updated: 1, refused: 2 } });
    expect(jsonLines(await download(server, job.rejected_url)).map(({ line }) => line)).toEqual([4, 5]);
    expect(await findUsers({ prefix: { external_id: "dry" } })).toMatchObject([
      { external_id: "dry1", traits_size: 1 },
    ]);
  });

  test("can be a dry run over several chunks, which counts no user twice", async () => {
    const line = (index: number) => JSON.stringify({ userId: `twice${index % 4_100}`, size: 1 });
    const job = await importFile(Array.from({ length: 8_200 }, (_, index) => line(index)).join("\n"), {
      dry_run: true,
    });
    expect(job.result).toEqual({ records: 8_200, new: 4_100, updated: 0, refused: 0 });
  });

  test("notifies connectors only when asked, also beside another import that does not", async () => {
    const lines = (kind: string) =>
      Array.from({ length: 50 }, (_, index) => JSON.stringify({ userId: `${kind}${index}` })).join("\n");
    files["/quiet"] = { content: lines("quiet") };
    files["/loud"] = { content: lines("loud") };
    const start = (name: string, notify: boolean) =>
      runJob(server, "/import/users", { url: `${web.url}/${name}`, format: "json", notify });
    await Promise.all([start("quiet", false), start("loud", true)]);
    const users = await findUsers({
      bool: { should: [{ prefix: { external_id: "quiet" } }, { prefix: { external_id: "loud" } }] },
    });
    const kinds = new Map(users.map(({ id, external_id }) => [id, String(external_id).replace(/\d+$/, "")]));
    const { rows } = await server.database.query<{ payload: Buffer }>("select payload from changes");
    const seen = { quiet: new Set<boolean>(), loud: new Set<boolean>() };
    for (const { payload } of rows) {
      const change = decompress<ChangeSet>(payload);
      for (const { id } of change.users) {
        const kind = kinds.get(id);
        if (kind === "quiet" || kind === "loud") seen[kind].add(change.quiet === true);
      }
    }
    expect(seen).toEqual({ quiet: new Set([true]), loud: new Set([false]) });
  });

  test("runs no earlier than scheduled", async () => {
    files["/later.json"] = { content: '{"userId":"later"}' };
    const at = new Date(Date.now() + 700);
    const body = { url: `${web.url}/later.json`, format: "json", schedule_at: at.toISOString() };
    const created = await call<JobAnswer>(server, "POST", "/import/users", body);
    expect(created.body.status).toBe("scheduled");
    const status = await call<{ jobs: JobAnswer[] }>(server, "GET", "/status");
    expect(status.body.jobs.map(({ id }) => id)).toContain(created.body.id);
    const job = await ended(server, created.body.id);
    expect(job.status).toBe("completed");
    const { body: stored } = await call<{ started_at: string }>(server, "GET", `/${job.id}`);
    expect(new Date(stored.started_at).getTime()).toBeGreaterThanOrEqual(at.getTime());
  });

  test("fails with the reason when there is no such file", async () => {
    const job = await runJob(server, "/import/users", { url: `${web.url}/nothing`, format: "json" });
    expect(job).toMatchObject({ status: "failed", error: "The address of the file answered with status 404." });
  });

  test("fails with the reason when the file is cut off", async () => {
    expect(await importFile('[{"userId":"cut"},{"userId"')).toMatchObject({
      status: "failed",
      error: "The file ends inside its JSON array: it is not complete.",
    });
    expect(await importFile(gzipSync('{"userId":"cut"}').subarray(0, 20))).toMatchObject({
      status: "failed",
      error: expect.stringContaining("does not decompress"),
    });
  });

  test("refuses rows that are nested as deep as a file allows, and goes on with the others", async () => {
    const levels = 400_000;
    const deep = [
      `{"userId":"deep-1","a":${"[".repeat(levels)}${"]".repeat(levels)}}`,
      `{"userId":"deep-2","traits":{"a":${'{"a":'.repeat(levels / 4)}1${"}".repeat(levels / 4)}}}`,
      `${"[".repeat(levels)}${"]".repeat(levels)}`,
    ];
    const job = await importFile([deep[0], '{"userId":"deep-0"}', ...deep.slice(1)].join("\n"));
    expect(job).toMatchObject({ status: "completed", result: { records: 4, rejected: 3 } });
    const { refused_rows_url: refused } = job as JobAnswer & { refused_rows_url?: string };
    expect(jsonLines(await download(server, refused))).toEqual(
      [1, 3, 4].map((line, index) => ({ line, reason: "The record is nested too deep.", record: deep[index] })),
    );
    expect(await findUsers({ prefix: { external_id: "deep-" } })).toMatchObject([{ external_id: "deep-0" }]);
    const columns = [{ column: "userId", to: "identifier", name: "external_id" }];
    expect(await importFile(deep.join("\n"), { columns })).toMatchObject({ result: { records: 3, rejected: 3 } });
  });

  test("tries again while the server of the file answers with errors", async () => {
    files["/flaky.json"] = { status: 503, content: "" };
    const body = { url: `${web.url}/flaky.json`, format: "json" };
    const created = await call<JobAnswer>(server, "POST", "/import/users", body);
    await expect
      .poll(async () => (await call<JobAnswer>(server, "GET", `/${created.body.id}`)).body.error, PATIENCE)
      .toContain("503");
    files["/flaky.json"] = { content: '{"userId":"patient"}' };
    expect(await ended(server, created.body.id)).toMatchObject({ status: "completed", error: null });
  });
});

describe("an import of accounts or events", () => {
  test("creates accounts", async () => {
    const job = await importFile(
      '{"accountId":"big","traits":{"plan":"pro"}}\n{"domain":"small.com","name":"Small"}',
      {},
      "accounts",
    );
    expect(job).toMatchObject({ status: "completed", progress: { processed: 2, rejected: 0 } });
    expect(await accountOf("big")).toMatchObject({ plan: "pro" });
  });

  test("creates events, and the same file imported again creates no others", async () => {
    const lines = [
      '{"userId":"b1","event":"Signed","timestamp":"2024-01-02T03:04:05.000Z","properties":{"n":1}}',
      '{"userId":"b1","event":"Signed","timestamp":"2024-01-02T03:04:05.000Z","properties":{"n":1}}',
      '{"userId":"b1","event":"Signed","eventId":"given","timestamp":1704164645}',
    ];
    await importFile(lines.join("\n"), {}, "events");
    await importFile(lines.join("\n"), {}, "events");
    const events = await findEvents("Signed");
    expect(events).toHaveLength(3);
    expect(events.map(({ created_at }) => created_at)).toEqual(Array(3).fill("2024-01-02T03:04:05.000Z"));
  });

  test("brings moves of a segment from before the segment was here", async () => {
    await importFile('{"userId":"long","plan":"gold"}\n{"userId":"new","plan":"gold"}\n{"userId":"once"}');
    const gold = { name: "Gold", query: { term: { plan: "gold" } }, predicate: {} };
    const { body: segment } = await call<{ id: string }>(server, "POST", "/users_segments", gold);
    const move = (userId: string, event: string, timestamp: string) =>
      JSON.stringify({ userId, event, timestamp, source: "platform", properties: { segment_id: segment.id } });
    const lines = [
      move("long", "Entered segment", "2024-03-01T10:00:00.000Z"),
      move("once", "Entered segment", "2024-03-01T11:00:00.000Z"),
      move("once", "Left segment", "2024-03-03T11:00:00.000Z"),
      move("once", "Invented", "2024-03-03T11:00:00.000Z"),
    ];
    const { progress } = await importFile(lines.join("\n"), {}, "events");
    expect(progress).toMatchObject({ processed: 4, rejected: 1 });
    const path = `/charts/segments/${segment.id}?from=2024-02-28T00:00:00Z&to=2024-03-04T00:00:00Z`;
    const chart = async () => {
      const { body } = await call<{ points: { at: string; size: number; entered: number }[] }>(server, "GET", path);
      return body.points.map(({ at, size, entered }) => `${at.slice(5, 10)} ${size} ${entered}`);
    };
    // "new" was in it from the start.
    await expect.poll(chart, PATIENCE).toEqual(["03-01 3 2", "03-02 3 0", "03-03 2 0", "03-04 2 0"]);
    expect((await findUsers({ term: { external_id: "once" } }))[0]).toMatchObject({ last_seen_at: null });
    const { body: names } = await call<{ name: string }[]>(server, "GET", "/events/names?text=segment");
    expect(names.map(({ name }) => name).sort()).toEqual(["Entered segment", "Left segment"]);
  });
});

describe("the call", () => {
  test("names every missing parameter", async () => {
    const { status, body } = await call<{ error: { code: string; details: { path: string }[] } }>(
      server,
      "POST",
      "/import/users",
      {},
    );
    expect(status).toBe(400);
    expect(body.error.code).toBe("missing_parameters");
    expect(body.error.details.map(({ path }) => path)).toEqual(["body.url", "body.format"]);
  });

  test.each([
    [{ url: "https://example.com/a", format: "xml" }, "body.format"],
    [{ url: "ftp://example.com/a", format: "json" }, "body.url"],
    [{ url: "https://example.com/a", format: "json", schedule_at: "soon" }, "body.schedule_at"],
    [{ url: "https://example.com/a", format: "json", overwrite: "yes" }, "body.overwrite"],
    [{ url: "https://example.com/a", format: "json", traits: [] }, "body.traits"],
  ])("refuses %j", async (body, path) => {
    const answer = await call<{ error: { details: { path: string }[] } }>(server, "POST", "/import/users", body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0]?.path).toBe(path);
  });
});

describe("a job", () => {
  test("is in the status of the organization while it runs or waits, and not once it has ended", async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const parameters = { url: "https://example.com/a.json", format: "json", schedule_at: later };
    const { body: waiting } = await call<JobAnswer>(server, "POST", "/import/users", parameters);
    const activeIds = async () => {
      const { body } = await call<{ jobs: JobAnswer[] }>(server, "GET", "/status");
      return body.jobs.map(({ id, status }) => [id, status]);
    };
    expect(await activeIds()).toContainEqual([waiting.id, "scheduled"]);
    await call(server, "DELETE", `/${waiting.id}`);
    expect(await activeIds()).toEqual([]);
  });

  test("that waits can be canceled, and then never runs", async () => {
    const schedule_at = new Date(Date.now() + 60_000).toISOString();
    const body = { url: `${web.url}/never.json`, format: "json", schedule_at };
    const created = await call<JobAnswer>(server, "POST", "/import/users", body);
    const canceled = await call<JobAnswer>(server, "DELETE", `/${created.body.id}`);
    expect(canceled).toMatchObject({ status: 200, body: { id: created.body.id, status: "canceled" } });
    expect((await call(server, "DELETE", `/${created.body.id}`)).status).toBe(200);
    const status = await call<{ jobs: JobAnswer[] }>(server, "GET", "/status");
    expect(status.body.jobs).toEqual([]);
  });

  test("that has ended cannot be canceled any more", async () => {
    const job = await importFile('{"userId":"done"}');
    expect(await call(server, "DELETE", `/${job.id}`)).toMatchObject({
      status: 409,
      body: { error: { code: "conflict" } },
    });
  });

  test("is listed, the latest first, by type and status", async () => {
    const job = await importFile('{"userId":"listed"}');
    const { body } = await call<JobAnswer[]>(server, "GET", "/jobs?type=import&status=completed&per_page=1");
    expect(body.map(({ id }) => id)).toEqual([job.id]);
    expect((await call<JobAnswer[]>(server, "GET", "/jobs?type=extract")).body).toEqual([]);
  });
});
