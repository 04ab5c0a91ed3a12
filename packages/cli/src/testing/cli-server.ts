import { expect } from "vitest";
import { ADMIN_TOKEN, openTestServer } from "../../../../apps/server/src/testing/test-server.js";
import { muster, type RunOptions } from "./muster.js";

/** A real server that listens, and the command that speaks to it. Call `close()` at the end. */
export async function openCliServer(environment: Record<string, string> = {}) {
  const server = await openTestServer(environment);
  await server.listen();
  const cli = (args: readonly string[], options: RunOptions = {}) =>
    muster(args, {
      ...options,
      environment: { MUSTER_URL: server.url, MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, ...options.environment },
    });
  return {
    server,
    /** Runs the command. */
    cli,
    /** Runs it with `--json`, requires that it succeeds, and returns what it printed. */
    async json(args: readonly string[], options?: RunOptions) {
      const { code, stdout, stderr } = await cli([...args, "--json"], options);
      expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    },
    close: () => server.close(),
  };
}

export type CliServer = Awaited<ReturnType<typeof openCliServer>>;
