// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTestDatabase, openQuietly } from "../../../testing/test-database.js";
import { WakeUps } from "../wake-ups.js";
import { WorkLeases } from "./work-leases.js";

const PROGRAM = fileURLToPath(new URL("./testing/lease-process.ts", import.meta.url));

function start(url: string, mode: string): { child: ChildProcess; lines: string[] } {
  const loading = ["--import", "tsx", "--conditions=@muster/source"];
  const child = spawn(process.execPath, [...loading, PROGRAM, url, mode], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return { child, lines };
}

test.each(["paused", "suspended"])(
  "a process that was %s writes and calls nothing after another one has taken over its work",
  async (mode) => {
    const url = await createTestDatabase();
    const database = openQuietly(url);
    onTestFinished(() => database.close());
    await database.query("create table written (at timestamptz)");
    const { child, lines } = start(url, mode);
    await vi.waitFor(() => expect(lines).toContain("begun"), { timeout: 60_000, interval: 50 });
    const logger = pino({ level: "silent" });
    const wakeUps = new WakeUps({ database, logger });
    await wakeUps.start();
    onTestFinished(() => wakeUps.close());
    const leases = new WorkLeases({ database, logger, wakeUps, place: "other" });
    await leases.start();
    onTestFinished(() => leases.close());
    expect(await leases.take("writing")).toBeUndefined();
    child.kill("SIGSTOP");
    const lease = await vi.waitFor(
      async () => {
        const taken = await leases.take("writing");
        expect(taken).toBeDefined();
        return taken!;
      },
      { timeout: 60_000, interval: 100 },
    );
    const { rows } = await database.query<{ at: Date }>("select clock_timestamp() as at");
    const before = lines.length;
    child.kill("SIGCONT");
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(before + 3), { timeout: 60_000, interval: 50 });
    // The transaction in which it was paused is refused too, and nothing is called with what it had read.
    expect(lines.slice(before).filter((line) => !line.startsWith("refused"))).toEqual([]);
    const { rows: late } = await database.query("select at from written where at > $1", [rows[0]?.at]);
    expect(late).toEqual([]);
    await database.transaction((tx) => lease.confirm(tx));
  },
  200_000,
);
