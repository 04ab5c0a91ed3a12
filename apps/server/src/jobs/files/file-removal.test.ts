import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DAY_MS } from "@muster/protocol";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGuardedFetch } from "../../outbound/guarded-fetch.js";
import { DiskSpace } from "../../runtime/disk/disk-space.js";
import { createLocalFiles } from "../../storage/files/local-files.js";
import { call, ended, type JobAnswer } from "../../testing/bulk.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { uploadAddress } from "../parameters/import-parameters.js";
import { removeUnused } from "./file-removal.js";
import { ImportFiles } from "./import-files.js";

const THREE_DAYS_AGO = new Date(Date.now() - 3 * DAY_MS);

let dataDir: string;
let server: TestServer;
let uploads: ImportFiles;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "muster-test-"));
  const left = await leaveOldFile();
  server = await openTestServer({ DATA_DIR: dataDir });
  // The server removes unused files when it starts. After that it leaves those of the tests alone for an hour.
  await vi.waitUntil(async () => !(await exists(left)), { timeout: 30_000 });
  const fetch = createGuardedFetch({ allowPrivateNetwork: false });
  const disk = new DiskSpace(dataDir, 0);
  uploads = new ImportFiles({
    runner: "one",
    folder: join(dataDir, "files", "imports"),
    fetch,
    maxBytes: 1_000_000,
    disk,
  });
});
afterEach(async () => {
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Leaves a file that no import needs, before the server starts. */
async function leaveOldFile(): Promise<string> {
  const path = join(dataDir, "files", "imports", "jobs", "left");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "");
  await utimes(path, THREE_DAYS_AGO, THREE_DAYS_AGO);
  return path;
}

async function exists(path: string): Promise<boolean> {
  return (await readdir(dirname(path))).includes(basename(path));
}

const folder = () => join(dataDir, "files", "imports", "uploads", server.first.organization.id);

/** Uploads a file that was last written three days ago. */
async function oldUpload(content: string): Promise<string> {
  const organizationId = server.first.organization.id;
  const id = await uploads.createUpload(organizationId);
  await uploads.appendUpload(organizationId, id, 0, Buffer.from(content));
  await utimes(join(folder(), id), THREE_DAYS_AGO, THREE_DAYS_AGO);
  return id;
}

function removeFiles(): Promise<void> {
  const { database } = server;
  const files = createLocalFiles(join(dataDir, "files", "kept"));
  return removeUnused({ database, logger: pino({ level: "silent" }), files, importFiles: uploads });
}

test("the upload of an import that is scheduled for later is kept, and the import reads it when it is due", async () => {
  const id = await oldUpload('{"userId":"later"}');
  const { body } = await call<JobAnswer>(server, "POST", "/import/users", {
    url: uploadAddress(id),
    format: "json",
    schedule_at: new Date(Date.now() + 30 * DAY_MS).toISOString(),
  });
  await removeFiles();
  expect(await readdir(folder())).toEqual([id]);
  await server.database.query("update jobs set due_at = now() where id = $1", [body.id]);
  // A new job makes the server look for jobs at once.
  await call(server, "POST", "/import/users", { url: uploadAddress("0".repeat(32)), format: "json" });
  expect(await ended(server, body.id)).toMatchObject({ status: "completed", progress: { processed: 1 } });
});

test("an old upload is removed when no import names it, or when its import was canceled", async () => {
  await oldUpload("nobody's");
  const id = await oldUpload('{"userId":"canceled"}');
  const { body } = await call<JobAnswer>(server, "POST", "/import/users", {
    url: uploadAddress(id),
    format: "json",
    schedule_at: new Date(Date.now() + DAY_MS).toISOString(),
  });
  await call(server, "DELETE", `/${body.id}`);
  await removeFiles();
  expect(await readdir(folder())).toEqual([]);
});
