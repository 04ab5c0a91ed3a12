import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Loop } from "../../../runtime/loops/loop.js";
import { findBinaries } from "./binaries.js";
import { ensureCluster } from "./cluster.js";
import { type Postmaster, startPostmaster } from "./postmaster.js";
import { lockServer } from "./server-lock.js";

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  /** Switches off fsync, for databases of a test run. */
  disposable?: boolean;
  /** For tests in which several servers use it. */
  clientLimit?: number;
  /** How long to wait for a PostgreSQL that still uses the data. */
  waitMs?: number;
  onLog(line: string): void;
  /** Called when PostgreSQL has stopped unexpectedly or could not be restarted. The restart is retried. */
  onProblem(error: Error): void;
}

// A server with much to write takes this long to stop.
const WAIT_MS = 60_000;
// A server that ran this long is started again without a pause.
const STABLE_MS = 60_000;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Starts the PostgreSQL from the npm package with its data in `dataDir`, which is created if it does not exist. When it
 * stops by itself, it is started again at the same address, as often as necessary: after a full disk that may take long.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const binaries = await findBinaries();
  const socketDir = join(tmpdir(), `muster-pg-${randomBytes(8).toString("hex")}`);
  let password = "";
  const start = async (): Promise<Postmaster> => {
    const lock = await lockServer(dataDir, options.waitMs ?? WAIT_MS);
    try {
      password = await ensureCluster({ binaries, dataDir, lock, disposable: options.disposable });
      return await startPostmaster({ ...options, binaries, dataDir, socketDir, lock });
    } finally {
      // From here on PostgreSQL alone holds the lock.
      lock.release();
    }
  };
  let running: Postmaster | undefined = await start();
  const supervision = new Loop({
    async step(signal) {
      running ??= await start();
      const startedAt = performance.now();
      const how = await Promise.race([running.ended, whenAborted(signal)]);
      if (signal.aborted) return undefined;
      running = undefined;
      const stopped = new Error(`The embedded PostgreSQL stopped by itself (${how}). It is started again.`);
      if (performance.now() - startedAt < STABLE_MS) throw stopped;
      options.onProblem(stopped);
      return 0;
    },
    onError: (error) => options.onProblem(error as Error),
    lastRetryMs: LONGEST_PAUSE_MS,
  });
  supervision.start();
  return {
    url: `postgresql://muster:${password}@localhost/postgres?host=${encodeURIComponent(socketDir)}`,
    async stop() {
      await supervision.stop();
      await running?.stop();
    },
  };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
