// @module-tag long
import { mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../testing/free-port.js";
import { type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";
import { PATIENCE } from "./support/patience.js";
import { processesMentioning } from "./support/processes-mentioning.js";

// Starting the real thing takes seconds, and many times that on a busy machine.

let parent: string;
let muster: MusterProcess;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-dev-"));
  muster = startMuster({ dataDir: join(parent, "data"), port: await freePort(), command: ["npm", "run", "dev"] });
});
afterEach(async () => {
  for (const pid of await processesMentioning(parent)) process.kill(pid, "SIGKILL");
  await muster.ended;
  await rm(parent, { recursive: true, force: true, maxRetries: 10 });
});

/** The ids of the first connector that the server has printed, one for each of its starts. */
function printedIds(): string[] {
  return [...muster.output().matchAll(/Connector id\s+(\S+)/g)].map(([, id = ""]) => id);
}

/** Marks a file as changed for as long as `work` runs. The builds of other tests compare the same times. */
async function whileTouched(file: string, work: () => Promise<void>): Promise<void> {
  const { atime, mtime } = await stat(file);
  await utimes(file, new Date(), new Date());
  try {
    await work();
  } finally {
    await utimes(file, atime, mtime);
  }
}

test("npm run dev restarts the server with its data when a source of a package changes; Ctrl-C stops everything", async () => {
  await muster.ready();
  await whileTouched(join(REPOSITORY, "packages/query/src/index.ts"), async () => {
    await vi.waitFor(() => expect(printedIds()).toHaveLength(2), { timeout: 60_000, interval: 50 });
    await muster.ready();
    muster.killGroup("SIGINT");
    expect(await muster.ended).toBe(0);
  });
  const [first, second] = printedIds();
  expect(second).toBe(first);
  await vi.waitFor(async () => expect(await processesMentioning(parent)).toEqual([]), PATIENCE);
});
