import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, rm } from "node:fs/promises";
import type { FileLock } from "../../../runtime/disk/file-lock.js";
import type { Binaries } from "./binaries.js";
import { type Owner, ownerFor, reducedPrivileges } from "./process-owner.js";
import { serverEnvironment } from "./server-environment.js";

const STOP_TIMEOUT_MS = 60_000;
// Those of the pools of one server stay far below.
const MAX_CONNECTIONS = 60;

/** A running PostgreSQL. */
export interface Postmaster {
  /** Resolves when it has ended, with a sentence about how. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

export interface PostmasterOptions {
  binaries: Binaries;
  dataDir: string;
  socketDir: string;
  lock: FileLock;
  disposable?: boolean | undefined;
  clientLimit?: number | undefined;
  onLog(line: string): void;
}

/** Starts PostgreSQL, and waits until it accepts connections. It holds the lock from then on. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const owner = await ownerFor(options.dataDir);
  await rm(options.socketDir, { recursive: true, force: true });
  await mkdir(options.socketDir, { mode: 0o700 });
  if (owner) await chown(options.socketDir, owner.uid, owner.gid);
  const server = spawnServer(options, owner);
  const ended = once(server, "exit").then(([code, signal]) => {
    // The watchdog may have been killed alone. Then the end of its input stops PostgreSQL.
    server.stdin?.end();
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  });
  await whenReady(server, ended, options.onLog);
  return {
    ended,
    async stop() {
      // Closing the pipe stops the server: see WATCHDOG.
      server.stdin?.end();
      const tooLate = AbortSignal.timeout(STOP_TIMEOUT_MS);
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit", { signal: tooLate });
    },
  };
}

/**
 * A shell script that runs the server and stops it when the script's standard input ends. The kernel closes that pipe
 * when this process ends in any way, so that neither PostgreSQL nor its socket is left even after `kill -9`. The signal is
 * sent again and again, because a background command of a shell ignores it until PostgreSQL has set its own handler.
 * Descriptor 3 is the lock, which PostgreSQL inherits.
 */
const WATCHDOG = `exec 4<&0
"$@" 4<&- </dev/null & server=$!
( read -r _ <&4; while kill -INT $server; do sleep 1; done ) 3<&- >/dev/null 2>&1 & watch=$!
exec 3<&- 4<&-
wait $server; code=$?
kill $watch 2>/dev/null
rm -rf "$SOCKET_DIR"
exit $code`;

export function spawnServer(options: PostmasterOptions, owner: Owner | undefined): ChildProcess {
  const { binaries, dataDir, socketDir, lock, disposable, clientLimit = MAX_CONNECTIONS } = options;
  const settings: Record<string, string> = {
    listen_addresses: "",
    unix_socket_directories: socketDir,
    shared_buffers: "128MB",
    max_connections: String(clientLimit),
    max_wal_size: "2GB",
    log_min_messages: "warning",
    log_checkpoints: "off",
    jit: "off",
    // Plans that were made while a table was nearly empty are kept until the table is analyzed. With them, loading a
    // thousand users of ten thousand took a second and a half.
    autovacuum_naptime: "10s",
    ...(disposable ? { fsync: "off", synchronous_commit: "off", full_page_writes: "off" } : {}),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = reducedPrivileges(owner, [binaries.postgres, "-D", dataDir, ...flags]);
  const server = spawn("/bin/sh", ["-c", WATCHDOG, "sh", ...command], {
    cwd: "/",
    env: { ...serverEnvironment(), SOCKET_DIR: socketDir },
    stdio: ["pipe", "ignore", "pipe", lock.fd],
    // A separate process group: Ctrl-C in a terminal reaches the whole group, and PostgreSQL must run until our last
    // writes are done.
    detached: true,
  });
  // A server that has ended does not read its input any more, so this error is expected.
  server.stdin?.on("error", () => {});
  return server;
}

async function whenReady(server: ChildProcess, ended: Promise<string>, onLog: (line: string) => void): Promise<void> {
  const lines: string[] = [];
  await new Promise<void>((ready, fail) => {
    server.once("error", fail);
    ended.then(
      (how) => fail(new Error(`The embedded PostgreSQL stopped while starting (${how}):\n${lines.join("\n")}`)),
      fail,
    );
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
