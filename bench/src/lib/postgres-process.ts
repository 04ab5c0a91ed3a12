import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// From the sources and from dist, this folder is two levels below that of the benchmarks.
const PROGRAM = fileURLToPath(new URL("../../../apps/server/dist/testing/hold-postgres.js", import.meta.url));

/** Several processes with a pool each need more connections than one server has. */
const MAX_CONNECTIONS = 300;

/** A PostgreSQL of its own, which several servers use by its URL. */
export interface PostgresProcess {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export async function startPostgres(dataDir: string): Promise<PostgresProcess> {
  const args = [PROGRAM, dataDir, String(MAX_CONNECTIONS)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  if (!child.stdout) throw new Error("The process of PostgreSQL has no output.");
  const [url] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(() => {
      throw new Error("PostgreSQL did not start.");
    }),
  ])) as [string];
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, "exit");
      child.stdin?.end();
      await ended;
    },
  };
}
