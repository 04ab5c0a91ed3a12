import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Loop } from "../../runtime/loops/loop.js";

const CLOSE_MS = 5_000;

export interface KeptClientOptions {
  config: pg.ClientConfig;
  /** How often to check that the server still answers. */
  lookEveryMs: number;
  onError(error: Error): void;
  /** Called once when the connection is lost, and not after `close`. */
  onLost(): void;
}

export interface KeptClient {
  client: pg.Client;
  close(): Promise<void>;
}

/**
 * Opens a connection that is kept open. It notices an unreachable server within a short time: an idle
 * connection through a network that drops packets would otherwise stay open for hours.
 */
export async function openKeptClient({ config, lookEveryMs, onError, onLost }: KeptClientOptions): Promise<KeptClient> {
  const client = new pg.Client(config);
  let isOver = false;
  const lose = () => {
    if (isOver) return;
    isOver = true;
    void looking.stop();
    onLost();
  };
  const looking = new Loop({
    async step() {
      await client.query("select 1");
      return lookEveryMs;
    },
    onError(error) {
      if (isOver) return;
      onError(error as Error);
      lose();
      client.end().catch(() => {});
    },
  });
  client.on("error", onError);
  client.on("end", lose);
  await client.connect();
  looking.start({ afterMs: lookEveryMs });
  return {
    client,
    async close() {
      isOver = true;
      void looking.stop();
      // An unreachable server never confirms the end.
      await Promise.race([client.end(), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
