// @module-tag long
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { canTest } from "../../../../../../testing/can-test.js";
import { findBinaries } from "./binaries.js";
import { startEmbeddedPostgres } from "./embedded-postgres.js";
import { spawnServer } from "./postmaster.js";
import { ownerFor, reducedPrivileges } from "./process-owner.js";
import { lockServer } from "./server-lock.js";

const NOBODY = { uid: 65_534, gid: 65_534 };

let parent: string;
let dataDir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-pg-test-"));
  dataDir = join(parent, "it's a path with spaces, ünd more", "postgres");
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const PATIENTLY = { timeout: 20_000, interval: 20 };
const quiet = { disposable: true, onLog: () => {}, onProblem: () => {} };
const start = () => startEmbeddedPostgres({ dataDir, ...quiet });

/** Where one cluster was created, for the tests that are not about its creation, which takes more than a second. */
let prepared: string;
beforeAll(async () => {
  prepared = await mkdtemp(join(tmpdir(), "muster-pg-test-"));
  await (await startEmbeddedPostgres({ dataDir: join(prepared, "postgres"), ...quiet })).stop();
});
afterAll(() => rm(prepared, { recursive: true, force: true }));

/** Copies the cluster, which was stopped in order, to the data directory of the test. */
async function copyCluster(): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true });
  const files = ["postgres", "postgres.password"].map((name) => join(prepared, name));
  // Node's own copy does not keep the owner.
  execFileSync("cp", ["-a", ...files, dirname(dataDir)]);
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url }).on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(dataDir, "postmaster.pid"), "utf8")).split("\n")[0]);
}

async function isGone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), PATIENTLY);
}

async function ownerAndGroupOf(pid: number): Promise<{ uid: number; group: number }> {
  if (process.platform !== "linux") {
    const [uid, group] = execFileSync("ps", ["-o", "uid=,pgid=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    return { uid: Number(uid), group: Number(group) };
  }
  // A minimal Linux has no `ps`.
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const group = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ")[2];
  return { uid: Number(/^Uid:\t(\d+)/m.exec(status)?.[1]), group: Number(group) };
}

/** Starts PostgreSQL from a separate process, which keeps it running. Resolves with the URL once it is ready. */
async function holdInProcess(command: [string, ...string[]]): Promise<{ child: ChildProcess; url: string }> {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit").then(([code]) => {
    throw new Error(`the holder stopped with code ${code}`);
  });
  const [line] = (await Promise.race([once(child.stdout, "data"), exited])) as [Buffer];
  exited.catch(() => {});
  return { child, url: line.toString().trim() };
}

function holder(): [string, ...string[]] {
  const script = fileURLToPath(new URL("../../../testing/hold-postgres.ts", import.meta.url));
  return [process.execPath, "--import", import.meta.resolve("tsx"), script, dataDir];
}

test("the first start creates the cluster, and a second one still has its data", async () => {
  const first = await start();
  await query(first.url, "create table kept as select 42 as answer");
  const pid = await postmasterPid();
  await first.stop();
  await isGone(pid);

  const second = await start();
  expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  await second.stop();
});

test("it compares text by code point and uses UTF-8 and UTC, whatever the settings of the machine", async () => {
  await copyCluster();
  const server = await start();
  const [settings] = await query(
    server.url,
    `select current_setting('server_encoding') as encoding, current_setting('timezone') as zone,
            ('a' < 'B') as ignores_case`,
  );
  expect(settings).toEqual({ encoding: "UTF8", zone: "UTC", ignores_case: false });
  await server.stop();
});

test("it listens on no network address, and its socket requires a password", async () => {
  await copyCluster();
  const server = await start();
  expect(await query(server.url, "select current_setting('listen_addresses') as addresses")).toEqual([
    { addresses: "" },
  ]);
  await expect(query(server.url.replace(/:[0-9a-f]+@/, ":wrong@"), "select 1")).rejects.toThrow(/password/);
  await server.stop();
});

test("it runs as an unprivileged user in a separate process group, so that Ctrl-C does not reach it", async () => {
  await copyCluster();
  const server = await start();
  const pid = await postmasterPid();
  const postmaster = await ownerAndGroupOf(pid);
  expect(postmaster.uid).not.toBe(0);
  expect(postmaster.group).not.toBe((await ownerAndGroupOf(process.pid)).group);
  await server.stop();
});

test("after kill -9 of the parent process PostgreSQL stops, and the next start has all committed data", async () => {
  await copyCluster();
  const { child, url } = await holdInProcess(holder());
  await query(url, "create table kept as select 42 as answer");
  const pid = await postmasterPid();
  const socketDir = new URL(url).searchParams.get("host") ?? "";
  expect((await stat(socketDir)).isDirectory()).toBe(true);
  child.kill("SIGKILL");

  const server = await start();
  expect(await query(server.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  await isGone(pid);
  await expect(stat(socketDir)).rejects.toThrow(/ENOENT/);
  await server.stop();
});

test("a PostgreSQL that was killed is started again at the same address, with all committed data", async () => {
  await copyCluster();
  const problems: string[] = [];
  const server = await startEmbeddedPostgres({
    dataDir,
    ...quiet,
    disposable: false,
    onProblem: (error) => problems.push(error.message),
  });
  await query(server.url, "create table kept as select 42 as answer");
  for (let round = 0; round < 2; round++) {
    const pid = await postmasterPid();
    process.kill(pid, "SIGKILL");
    await vi.waitFor(
      async () => expect(await query(server.url, "select answer from kept")).toEqual([{ answer: 42 }]),
      PATIENTLY,
    );
    expect(await postmasterPid()).not.toBe(pid);
  }
  expect(problems).toEqual([
    expect.stringContaining("stopped by itself"),
    expect.stringContaining("stopped by itself"),
  ]);
  await server.stop();
});

test("a stop ends a PostgreSQL that is being started again", async () => {
  await copyCluster();
  const server = await start();
  const pid = await postmasterPid();
  process.kill(pid, "SIGKILL");
  await isGone(pid);
  await server.stop();
  const again = await start();
  expect(await query(again.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await again.stop();
});

test("a start succeeds when the pid of a killed PostgreSQL belongs to another program now", async () => {
  await copyCluster();
  const { uid, gid } = await stat(dataDir);
  const other = spawn("sleep", ["60"], { uid, gid });
  await once(other, "spawn");
  await writeFile(
    join(dataDir, "postmaster.pid"),
    `${other.pid}\n${dataDir}\n1700000000\n5432\n/tmp\n\n  1 1\nready\n`,
  );
  const server = await start();
  expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
  other.kill();
});

const inContainer = ["unshare", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"];
const hasNamespaces = canTest(
  spawnSync(inContainer[0] ?? "", [...inContainer.slice(1), "true"]).status === 0,
  "PostgreSQL in several containers is not tested: this machine does not let the tests create namespaces. " +
    "To test it, run this file on Linux as root.",
);

test.runIf(hasNamespaces)("a second PostgreSQL is refused while one in another container uses the data", async () => {
  await copyCluster();
  const { child, url } = await holdInProcess(["unshare", ...inContainer.slice(1), ...holder()]);
  await expect(startEmbeddedPostgres({ dataDir, ...quiet, waitMs: 300 })).rejects.toThrow(
    /^Another PostgreSQL \(started by process \d+ on .+\) uses .+postgres\. Stop it first\.$/,
  );
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  child.kill("SIGKILL");
  const server = await start();
  expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test.runIf(hasNamespaces)("a start succeeds after a first start that was killed half-way", async () => {
  const [program = "", ...args] = [...inContainer, ...holder()];
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "inherit"] });
  const exited = once(child, "exit");
  await vi.waitFor(async () => {
    const files = await readdir(parent, { recursive: true });
    expect(files.some((name) => name.endsWith("PG_VERSION"))).toBe(true);
  }, PATIENTLY);
  child.kill("SIGKILL");
  await exited;
  const server = await start();
  expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test.for<[string, (versionFile: string) => Promise<void>]>([
  ["has no version", (file) => rm(file)],
  ["cannot be examined", async (file) => rm(file).then(() => symlink(file, file))],
])("a folder with data that %s is left alone", async ([, damage]) => {
  await copyCluster();
  const before = await readdir(join(dataDir, "base"));
  await damage(join(dataDir, "PG_VERSION"));
  await expect(start()).rejects.toThrow(/PG_VERSION/);
  expect(await readdir(join(dataDir, "base"))).toEqual(before);
});

test("an empty folder is used", async () => {
  await mkdir(dataDir, { recursive: true });
  const server = await start();
  expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test.each(["", "0123"])("a start is refused when the file of the password holds %j", async (content) => {
  await copyCluster();
  await writeFile(`${dataDir}.password`, content);
  await expect(start()).rejects.toThrow(/\.password is too short.*Restore it from a backup/);
});

test("an ordinary user can run it", async () => {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await mkdir(join(dataDir, ".."), { recursive: true });
    await chown(join(dataDir, ".."), NOBODY.uid, NOBODY.gid);
    await chmod(parent, 0o755);
  }
  const { child, url } = await holdInProcess(reducedPrivileges(isRoot ? NOBODY : undefined, holder()));
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect((await stat(dataDir)).uid).toBe(isRoot ? NOBODY.uid : process.getuid?.());
  child.stdin?.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("the error about a failed start contains the output of PostgreSQL", async () => {
  await copyCluster();
  await writeFile(join(dataDir, "postgresql.conf"), "no_such_setting = 1\n");
  await expect(start()).rejects.toThrow(/stopped while starting[\s\S]*no_such_setting/);
});

test.each([
  ["99", /made by PostgreSQL 99, .* Start the newer Muster/],
  ["15", /made by PostgreSQL 15, .* make a backup with `muster backup`/],
])("files of PostgreSQL %s are refused with what to do, and are not changed", async (version, message) => {
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, "PG_VERSION"), `${version}\n`);
  await expect(start()).rejects.toThrow(message);
  expect(await readdir(dataDir)).toEqual(["PG_VERSION"]);
});

test("a PostgreSQL that did not listen to signals yet when its Muster ended is stopped as well", async () => {
  await copyCluster();
  const binaries = await findBinaries();
  const late = join(parent, "late-postgres");
  await writeFile(late, `#!/bin/sh\nsleep 1\nexec '${binaries.postgres}' "$@"\n`, { mode: 0o755 });
  await chmod(parent, 0o755);
  const socketDir = join(parent, "sockets");
  const owner = await ownerFor(dataDir);
  await mkdir(socketDir);
  if (owner) await chown(socketDir, owner.uid, owner.gid);
  const lock = await lockServer(dataDir, 0);
  const server = spawnServer({ ...quiet, binaries: { ...binaries, postgres: late }, dataDir, socketDir, lock }, owner);
  lock.release();
  server.stdin?.end();
  await once(server, "exit", { signal: AbortSignal.timeout(PATIENTLY.timeout) });
  (await lockServer(dataDir, 0)).release();
});
