// @module-tag long
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openBackup } from "../runtime/backup-file/backup-parts.js";
import { readConfig } from "../runtime/settings/config.js";
import type { Database } from "../storage/postgres/database.js";
import { readApplied, runMigrations } from "../storage/postgres/migrate.js";
import { readMigrationFiles } from "../storage/postgres/migration-files.js";
import { openSeededServer, type SeededServer } from "../testing/seeded-server.js";
import { PASSWORD } from "../testing/signed-in.js";
import { createEmptyDatabase, openQuietly } from "../testing/test-database.js";
import { ADMIN_TOKEN, openTestServer, type TestServer } from "../testing/test-server.js";
import { Backups } from "../upkeep/backup/backups.js";
import { restoreBackup } from "./restore-backup.js";

// Each restore makes a database from nothing, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const PASSPHRASE = "the passphrase of the backup";

let seeded: SeededServer;
let file: Buffer;
/** What the server answers with the data that is in the backup. */
let expected: Answers;
let parent: string;
beforeAll(async () => {
  seeded = await openSeededServer();
  const { connector, values } = seeded;
  const payload = { private_settings: { api_key: "a private key" } };
  expect((await connector.call("PUT", `/${values.connector}`, { payload })).statusCode).toBe(200);
  parent = await mkdtemp(join(tmpdir(), "muster-restore-"));
  // Messages to the connector may still be under way and change answers. The same answers before and after the backup are
  // those of the data in it.
  do {
    expected = await answersOf(seeded.server);
    file = await makeBackup();
  } while (!isDeepStrictEqual(expected, await answersOf(seeded.server)));
});
afterAll(async () => {
  await seeded.close();
  await rm(parent, { recursive: true, force: true });
});

async function makeBackup(body: object = { passphrase: PASSPHRASE }): Promise<Buffer> {
  const answer = await fetch(`${seeded.server.url}/api/v1/backup`, {
    method: "POST",
    headers: { ...seeded.server.operatorHeaders, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

interface RestoreSettings {
  content?: Buffer;
  passphrase?: string | undefined;
  environment?: Record<string, string>;
  name: string;
}

async function restore({ content = file, name, environment = {}, ...options }: RestoreSettings) {
  const settings = {
    DATA_DIR: join(parent, name),
    DATABASE_URL: await createEmptyDatabase(),
    MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
    ...environment,
  };
  const report = await restoreBackup(readConfig(settings), {
    source: Readable.from([content]),
    passphrase: PASSPHRASE,
    callsConnectors: false,
    onProgress: () => {},
    ...options,
  });
  return { report, settings };
}

/** Makes backups of a database without a server. */
function backupsOf(database: Database, secretKey: string): Backups {
  const filesFolder = join(parent, "no files");
  return new Backups({
    database,
    logger: pino({ level: "silent" }),
    secretKey,
    settings: {},
    filesFolder,
    hasBucket: false,
  });
}

/** The hash of every table of a backup. The generation of the question engine is new after a restore. */
async function tablesOf(content: AsyncIterable<Buffer>): Promise<Record<string, string>> {
  const { parts } = await openBackup(content, () => {});
  const tables: Record<string, string> = {};
  for await (const part of parts) {
    const bytes = await buffer(part.content);
    if (part.head.kind === "table" && part.head.name !== "project_cursors") {
      tables[part.head.name] = `${part.end()?.rows} rows ${createHash("sha256").update(bytes).digest("hex")}`;
    }
  }
  return tables;
}

async function read(server: TestServer, path: string): Promise<unknown> {
  const answer = await server.app.inject({ url: `/api/v1${path}`, headers: server.operatorHeaders });
  expect([path, answer.statusCode]).toEqual([path, 200]);
  return answer.json();
}

async function search(server: TestServer, path: string, sort: object): Promise<unknown> {
  const answer = await server.app.inject({
    method: "POST",
    url: `/api/v1/search/${path}`,
    headers: server.operatorHeaders,
    payload: { query: {}, sort, per_page: 100 },
  });
  expect([path, answer.statusCode]).toEqual([path, 200]);
  // When a document was written last is not a part of the data.
  return JSON.parse(answer.body, (key, value: unknown) => (key === "indexed_at" || key === "took" ? undefined : value));
}

type Answers = Awaited<ReturnType<typeof answersOf>>;

/** What must be the same on a restored server. */
async function answersOf(server: TestServer) {
  const { connector, job, usersSegment, user } = seeded.values;
  return {
    users: await search(server, "user_reports", { created_at: "asc" }),
    accounts: await search(server, "account_reports", { created_at: "asc" }),
    events: await search(server, "events", { created_at: "asc" }),
    segments: await read(server, "/users_segments"),
    segment: await read(server, `/${usersSegment}`),
    membership: await read(server, `/${user}/segments`),
    connector: await read(server, `/${connector}`),
    attributes: await read(server, "/users/schema"),
    comments: await read(server, `/${user}/comments`),
    views: await read(server, "/views"),
    insights: await read(server, "/insights"),
    platforms: await read(server, "/platforms"),
    dead: await read(server, "/dead_letters"),
    rejected: await read(server, "/ingestion/rejected"),
    members: await read(server, "/members"),
    job: (await read(server, `/${job}`)) as { status: string },
  };
}

test("a restored database has the same rows in every table", async () => {
  const { report, settings } = await restore({ name: "rows" });
  const database = openQuietly(settings.DATABASE_URL);
  const restored = await tablesOf(await backupsOf(database, "any key").open(undefined));
  await database.close();
  const original = await tablesOf(Readable.from([file]));
  expect(restored).toEqual(original);
  expect(Object.keys(original)).toEqual(expect.arrayContaining(["ingest_log", "changes", "users", "outbox"]));
  expect(Object.keys(original)).not.toEqual(expect.arrayContaining(["member_sessions"]));
  expect(report).toMatchObject({ holds_deliveries: true, different_settings: {} });
  expect(report.organizations).toEqual([
    { namespace: "acme", position: expect.any(String) },
    { namespace: "default", position: expect.stringMatching(/l\d+/) },
  ]);
});

test("a restored server gives the same answers, opens secrets, lets members sign in, and calls nobody until it may", async () => {
  const { settings } = await restore({ name: "answers" });
  const restored = await openTestServer({ ...settings, ALLOW_PRIVATE_NETWORK: "true", DELIVERY_RETRY_MS: "20" });
  try {
    await restored.listen();
    const { server, values } = seeded;
    // The secret of the connector still works, and its private settings open.
    const own = await restored.app.inject({ url: "/api/v1/app", headers: seeded.connector.headers });
    expect(own.json()).toMatchObject({ private_settings: { api_key: "a private key" } });
    const download = `/api/v1/downloads/${values.organization}/${values.job}/${values.file}?expires=${values.expires}&signature=${values.signature}`;
    expect((await restored.app.inject({ url: download })).body).toBe((await server.app.inject({ url: download })).body);

    await vi.waitFor(async () => expect(await answersOf(restored)).toEqual(withAddressOf(restored, expected)), {
      timeout: 40_000,
      interval: 500,
    });

    const signIn = await restored.app.inject({
      method: "POST",
      url: "/api/v1/session",
      payload: { email: "grace@example.com", password: PASSWORD },
    });
    expect(signIn.statusCode).toBeLessThan(300);
    const held = (await read(restored, "/health_checks")) as { name: string; status: string }[];
    expect(held.find(({ name }) => name === "Deliveries")).toMatchObject({ status: "late" });
    const resume = () =>
      restored.app.inject({ method: "POST", url: "/api/v1/deliveries/resume", headers: restored.operatorHeaders });
    expect((await resume()).json()).toEqual({ resumed: true });
    expect((await resume()).json()).toEqual({ resumed: false });
  } finally {
    await restored.close();
  }
});

/** Absolute addresses are those of the server that answers. */
function withAddressOf<Answers>(server: TestServer, answers: Answers): Answers {
  return JSON.parse(JSON.stringify(answers).replaceAll(seeded.server.url, server.url)) as Answers;
}

test("a wrong passphrase, a missing one and another SECRET_KEY are refused, and nothing is left", async () => {
  await expect(restore({ name: "refused", passphrase: "wrong passphrase" })).rejects.toThrow("The passphrase is not");
  await expect(restore({ name: "refused", passphrase: undefined })).rejects.toThrow("needs its passphrase");
  const environment = { SECRET_KEY: "another key, which is long enough" };
  await expect(restore({ name: "refused", environment })).rejects.toThrow("SECRET_KEY is not the key of this backup");
  const withoutKeys = await makeBackup({});
  await expect(restore({ name: "refused", content: withoutKeys })).rejects.toThrow("made without its key");
  expect(await readdir(parent)).not.toContain("refused");
});

test("a damaged backup and one that was cut off leave an empty data directory and an empty database", async () => {
  const DATABASE_URL = await createEmptyDatabase();
  const damaged = Buffer.from(file);
  damaged[Math.floor(file.length * 0.9)]! ^= 1;
  const name = "damaged";
  for (const content of [damaged, file.subarray(0, -10)]) {
    await expect(restore({ name, content, environment: { DATABASE_URL } })).rejects.toThrow(/damaged|cut off/);
    expect(await readdir(join(parent, name))).toEqual(["format", "muster.lock", "postgres.lock"]);
  }
  const { settings } = await restore({ name, environment: { DATABASE_URL } });
  await expect(restore({ name: "other", environment: { DATABASE_URL: settings.DATABASE_URL } })).rejects.toThrow(
    "The database of DATABASE_URL has tables",
  );
  await expect(restore({ name })).rejects.toThrow("is not empty");
});

test("damage in the head of a part is called damage", async () => {
  const text = file.toString("latin1");
  const damaged = Buffer.from(text.replace('"name":"segments"', '"name":"segmentz"'), "latin1");
  expect(damaged.equals(file)).toBe(false);
  await expect(restore({ name: "head", content: damaged })).rejects.toThrow(
    "The backup is damaged in the table segmentz",
  );
});

test("a backup of a newer Muster is refused", async () => {
  const newer = Buffer.from(file.toString("latin1").replace("0036-baseline.sql", "9936-baseline.sql"), "latin1");
  await expect(restore({ name: "newer", content: newer })).rejects.toThrow(
    /made by a newer Muster .*9936-baseline.sql/,
  );
});

/** Two users and a segment, backed up by a server of the last commit before the baseline. */
const BEFORE_BASELINE = new URL("../testing/before-baseline.backup", import.meta.url);

test("a backup from before the baseline is restored, and the server starts on it", async () => {
  const { settings } = await restore({ name: "before", content: await readFile(BEFORE_BASELINE) });
  const restored = await openTestServer(settings);
  try {
    await vi.waitFor(
      async () =>
        expect(await search(restored, "user_reports", { created_at: "asc", external_id: "asc" })).toMatchObject({
          data: [
            {
              external_id: "1",
              email: "ada@acme.test",
              traits_plan: "pro",
              traits_seats: 12,
              segment_ids: ["01a1eabcdbe420abc2bcf482"],
            },
            { external_id: "2", email: "bo@acme.test", traits_plan: "free", segment_ids: [] },
          ],
        }),
      { timeout: 40_000, interval: 500 },
    );
    expect(await read(restored, "/users_segments")).toMatchObject([{ name: "Pros" }]);
    const files = (await readMigrationFiles()).map(({ name }) => name);
    expect([...(await readApplied(restored.database)).keys()]).toEqual(files);
  } finally {
    await restored.close();
  }
});

test("a backup that is older than the baseline is refused, and the error says what to do", async () => {
  const content = (await readFile(BEFORE_BASELINE)).toString("latin1");
  const older = Buffer.from(content.replace('"0035-leases.sql"', '"0035-leasex.sql"'), "latin1");
  await expect(restore({ name: "too-old", content: older })).rejects.toThrow(
    /lacks 0035-leases\.sql\. Restore it with commit c024378b of the repository/,
  );
});

test("a backup of an older Muster is brought up to date", async () => {
  const all = await readMigrationFiles();
  const older = openQuietly(await createEmptyDatabase());
  // The baseline is the oldest schema that there is.
  await older.transaction((tx) => runMigrations(tx, all.slice(0, Math.max(1, all.length - 1))));
  await older.query("insert into organizations (id, namespace, name) values ('one', 'acme', 'Acme')");
  const SECRET_KEY = "the key of the older server";
  const content = await buffer(await backupsOf(older, SECRET_KEY).open(undefined));
  await older.close();
  const { settings } = await restore({ name: "older", content, environment: { SECRET_KEY } });
  const restored = openQuietly(settings.DATABASE_URL);
  expect([...(await readApplied(restored)).keys()].sort()).toEqual(all.map(({ name }) => name));
  expect((await restored.query("select name from organizations")).rows).toEqual([{ name: "Acme" }]);
  await restored.close();
});

test("settings that belong to the data and differ are told", async () => {
  const { report } = await restore({ name: "settings", environment: { LOG_RETENTION_DAYS: "5", PORT: "9999" } });
  expect(report.different_settings).toEqual({ LOG_RETENTION_DAYS: "30" });
});
