import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Refusal } from "@muster/protocol";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { startWebServer, type WebServer } from "../../../../../testing/start-web-server.js";
import { call, ended, type JobAnswer, PATIENCE, runJob } from "../../testing/bulk.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { openTestServer, type TestServer, withTestServer } from "../../testing/test-server.js";

let web: WebServer;
let content = "";
let downloads = 0;
let dataDir: string;
let environment: Record<string, string>;

beforeAll(async () => {
  web = await startWebServer((_request, response) => {
    downloads += 1;
    response.end(content);
  });
});
beforeEach(async () => {
  downloads = 0;
  dataDir = await mkdtemp(join(tmpdir(), "muster-test-"));
  environment = { ALLOW_PRIVATE_NETWORK: "true", DATA_DIR: dataDir, DATABASE_URL: await createTestDatabase() };
  return () => rm(dataDir, { recursive: true, force: true });
});
afterAll(() => web.close());

async function countUsers(server: TestServer): Promise<number> {
  const body = { query: { match_all: {} }, per_page: 0 };
  const answer = await call<{ pagination: { total: number } }>(server, "POST", "/search/user_reports", body);
  return answer.body.pagination.total;
}

function startImport(server: TestServer, parameters: object = {}) {
  return call<JobAnswer>(server, "POST", "/import/users", { url: `${web.url}/users`, format: "json", ...parameters });
}

test("an import that a stop interrupts goes on from its checkpoint, and applies no record twice", async () => {
  const line = (index: number) => JSON.stringify({ userId: `u${index}`, visits: { operation: "inc", value: 1 } });
  content = Array.from({ length: 14_000 }, (_, index) => line(index)).join("\n");
  const server = await openTestServer(environment);
  const { body } = await startImport(server);
  await vi.waitUntil(
    async () => (await call<JobAnswer>(server, "GET", `/${body.id}`)).body.progress.processed >= 4_000,
    PATIENCE,
  );
  await server.close();

  await withTestServer(environment, async (again) => {
    const job = await ended(again, body.id);
    expect(job).toMatchObject({ status: "completed", progress: { processed: 14_000, total: 14_000, rejected: 0 } });
    expect(await countUsers(again)).toBe(14_000);
    const query = { range: { visits: { gt: 1 } } };
    const twice = await call<{ pagination: { total: number } }>(again, "POST", "/search/user_reports", { query });
    expect(twice.body.pagination.total).toBe(0);
    expect(downloads).toBe(1);
    expect(await readdir(join(dataDir, "files", "imports", "jobs"))).toEqual([]);
  });
}, 90_000);

test("a job whose process died is taken over when its lease ends, and not before", async () => {
  content = '{"userId":"u1"}';
  await withTestServer(environment, async (server) => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await startImport(server, { schedule_at: later });
    await server.database.query(
      `update jobs
       set status = 'running', due_at = now(), lease_holder = 'a dead process', leased_until = now() + interval '1 second'
       where id = $1`,
      [body.id],
    );
    const { rows } = await server.database.query<{ leased_until: Date }>("select leased_until from jobs");
    const other = await runJob(server, "/import/users", { url: `${web.url}/users`, format: "json" });
    expect(other.status).toBe("completed");
    const job = await ended(server, body.id);
    expect(job.status).toBe("completed");
    const started = await server.database.query<{ finished_at: Date }>("select finished_at from jobs where id = $1", [
      body.id,
    ]);
    expect(started.rows[0]?.finished_at.getTime()).toBeGreaterThan(rows[0]?.leased_until.getTime() ?? 0);
  });
});

test("a running job that is canceled stops, and its file is removed", async () => {
  content = Array.from({ length: 60_000 }, (_, index) => JSON.stringify({ userId: `u${index}` })).join("\n");
  await withTestServer(environment, async (server) => {
    const { body } = await startImport(server);
    await vi.waitUntil(async () => (await call<JobAnswer>(server, "GET", `/${body.id}`)).body.progress.processed > 0, {
      timeout: 20_000,
    });
    const canceled = await call<JobAnswer>(server, "DELETE", `/${body.id}`);
    expect(canceled.body.status).toBe("canceled");
    await expect.poll(() => readdir(join(dataDir, "files", "imports", "jobs")), PATIENCE).toEqual([]);
    const { body: job } = await call<JobAnswer>(server, "GET", `/${body.id}`);
    expect(job.status).toBe("canceled");
    expect(job.progress.processed).toBeLessThan(60_000);
  });
});

test("a job that finds an engine away waits for it, and does not fail because of that", async () => {
  await withTestServer(environment, async (server) => {
    const away = new Refusal("unavailable", "The disk is nearly full.");
    const lastKey = vi.spyOn(server.questions, "lastKey").mockRejectedValueOnce(away);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const body = { url: null, format: "json", query: {}, schedule_at: later };
    const { id } = (await call<JobAnswer>(server, "POST", "/extract/user_reports", body)).body;
    // It was begun so often already that another attempt would be the last one.
    await server.database.query("update jobs set attempts = 7, due_at = now() where id = $1", [id]);
    content = '{"userId":"u1"}';
    await runJob(server, "/import/users", { url: `${web.url}/users`, format: "json" });
    expect(await ended(server, id)).toMatchObject({ status: "completed", error: null });
    expect(lastKey).toHaveBeenCalledTimes(2);
  });
}, 60_000);

test("a job that makes no progress fails in the end", async () => {
  await withTestServer(environment, async (server) => {
    content = '{"userId":"u1"}';
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await startImport(server, { schedule_at: later });
    await server.database.query("update jobs set attempts = 8, due_at = now() where id = $1", [body.id]);
    await runJob(server, "/import/users", { url: `${web.url}/users`, format: "json" });
    expect(await ended(server, body.id)).toMatchObject({
      status: "failed",
      error: "It was begun 8 times without getting further.",
    });
  });
});

test.each([
  ["an import", {}],
  ["a dry run", { dry_run: true }],
])(
  "%s that fails at the same place again and again fails in the end",
  async (_name, parameters) => {
    await withTestServer(environment, async (server) => {
      content = '{"userId":"u1"}\nno record';
      const later = new Date(Date.now() + 3_600_000).toISOString();
      const { id } = (await startImport(server, { ...parameters, schedule_at: later })).body;
      const { rows } = await server.database.query<{ organization_id: string }>("select organization_id from jobs");
      // It reads the whole file, and then cannot store the refused rows: there is a file in place of a folder.
      const folder = join(dataDir, "files", "kept", "imports", rows[0]?.organization_id ?? "");
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, id), "");
      /** Begins the job as if it had been begun so often before. The other job makes the server look for jobs. */
      const beginAfter = async (attempts: number) => {
        await server.database.query("update jobs set attempts = $2, due_at = now() where id = $1", [id, attempts]);
        await runJob(server, "/import/users", { url: `${web.url}/users`, format: "json", dry_run: true });
      };
      const wasRefused = () => call<JobAnswer>(server, "GET", `/${id}`).then(({ body }) => body.error);
      await beginAfter(0);
      await expect.poll(wasRefused, PATIENCE).toContain("EEXIST");
      await beginAfter(7);
      expect(await ended(server, id)).toMatchObject({ status: "failed", error: expect.stringContaining("EEXIST") });
    });
  },
  120_000,
);

test("the file of an extract is removed when its retention is over", async () => {
  content = '{"userId":"u1"}';
  const first = await openTestServer(environment);
  await runJob(first, "/import/users", { url: `${web.url}/users`, format: "json" });
  const job = await runJob(first, "/extract/users", { url: null, format: "json", query: {} });
  const { pathname, search } = new URL(job.download_url ?? "");
  expect((await first.app.inject(pathname + search)).statusCode).toBe(200);
  await first.database.query("update jobs set file_expires_at = now() where id = $1", [job.id]);
  await first.close();

  await withTestServer(environment, async (server) => {
    await expect
      .poll(async () => (await call<JobAnswer>(server, "GET", `/${job.id}`)).body.download_url, PATIENCE)
      .toBeUndefined();
    expect((await server.app.inject(pathname + search)).statusCode).toBe(404);
  });
});

test("metrics count how jobs ended", async () => {
  content = '{"userId":"u1"}\n{"userId":"u2"}';
  await withTestServer(environment, async (server) => {
    await runJob(server, "/import/users", { url: `${web.url}/users`, format: "json" });
    const { body } = await server.app.inject("/metrics");
    expect(body).toContain('muster_jobs_total{type="import",outcome="completed"} 1');
    expect(body).toContain('muster_job_records_total{type="import"} 2');
  });
});

test("an import that may work for half of the time imports the whole file", async () => {
  content = Array.from({ length: 4_500 }, (_, index) => JSON.stringify({ userId: `u${index}` })).join("\n");
  await withTestServer({ ...environment, IMPORT_SHARE: "0.5" }, async (server) => {
    const { body } = await startImport(server);
    expect(await ended(server, body.id)).toMatchObject({ status: "completed", progress: { processed: 4_500 } });
    expect(await countUsers(server)).toBe(4_500);
  });
});
