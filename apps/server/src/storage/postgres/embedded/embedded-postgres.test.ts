import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startEmbeddedPostgres } from "./embedded-postgres.js";
import { reducedPrivileges } from "./process-owner.js";

const NOBODY = { uid: 65_534, gid: 65_534 };

let parent: string;
let dataDir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-pg-test-"));
  dataDir = join(parent, "it's a path with spaces, ünd more", "postgres");
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const start = () => startEmbeddedPostgres({ dataDir, onLog: () => {} });

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
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
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), { timeout: 20_000, interval: 20 });
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
  const server = await start();
  expect(await query(server.url, "select current_setting('listen_addresses') as addresses")).toEqual([
    { addresses: "" },
  ]);
  await expect(query(server.url.replace(/:[0-9a-f]+@/, ":wrong@"), "select 1")).rejects.toThrow(/password/);
  await server.stop();
});

test("it runs as an unprivileged user in a separate process group, so that Ctrl-C does not reach it", async () => {
  const server = await start();
  const pid = await postmasterPid();
  const postmaster = await ownerAndGroupOf(pid);
  expect(postmaster.uid).not.toBe(0);
  expect(postmaster.group).not.toBe((await ownerAndGroupOf(process.pid)).group);
  await server.stop();
});

test("after kill -9 of the parent process PostgreSQL stops, and the next start has all committed data", async () => {
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

test("after kill -9 of PostgreSQL the next start recovers all committed data", async () => {
  const first = await start();
  await query(first.url, "create table kept as select 42 as answer");
  const pid = await postmasterPid();
  process.kill(pid, "SIGKILL");
  await isGone(pid);
  await first.stop();
  expect(await postmasterPid()).toBe(pid);

  const second = await start();
  expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  await second.stop();
});

test("a start succeeds after a first start that was killed half-way", async () => {
  await mkdir(join(dataDir, "base"), { recursive: true });
  await writeFile(join(dataDir, "postgresql.conf"), "# unfinished");
  const server = await start();
  expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
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
  await (await start()).stop();
  await writeFile(join(dataDir, "postgresql.conf"), "no_such_setting = 1\n");
  await expect(start()).rejects.toThrow(/stopped while starting[\s\S]*no_such_setting/);
});
