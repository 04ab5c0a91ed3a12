import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { canTest } from "../../../testing/can-test.js";
import { readTreeMemory, readTreeUsage } from "./process-tree.js";

const isLinux = canTest(
  process.platform === "linux",
  "The usage of processes is not tested: it is read from /proc. To test it, run this file on Linux.",
);

const MB = 1024 * 1024;

// Starts a second process that allocates memory, prints a line once it has, and waits for its input to end.
const CHILD = `
  const memory = Buffer.alloc(64 * 1024 * 1024, 1);
  console.log("ready");
  process.stdin.resume().on("end", () => process.exit(memory.length > 0 ? 0 : 1));
`;
const PARENT = `
  const { spawn } = require("node:child_process");
  spawn(process.execPath, ["-e", ${JSON.stringify(CHILD)}], { stdio: "inherit" }).on("exit", () => process.exit());
`;

let parent: ChildProcess | undefined;
afterEach(async () => {
  if (!parent) return;
  const ended = once(parent, "exit");
  parent.stdin?.end();
  await ended;
  parent = undefined;
});

/** Starts a process with one child and returns its id once both run. */
async function startTree(): Promise<number> {
  parent = spawn(process.execPath, ["-e", PARENT], { stdio: ["pipe", "pipe", "inherit"] });
  if (!parent.stdout) throw new Error("The output of the process is a pipe.");
  await once(parent.stdout, "data");
  return parent.pid ?? 0;
}

describe.runIf(isLinux)("the usage of a process", () => {
  test("contains its descendants", async () => {
    const usage = readTreeUsage(await startTree());
    expect(usage.processes).toBe(2);
    expect(usage.cpuMs).toBeGreaterThan(0);
    expect(usage.pssBytes).toBeGreaterThan(64 * MB);
    expect(usage.rssBytes).toBeGreaterThanOrEqual(usage.pssBytes);
  });

  test("is about the same memory by the counters of the kernel", async () => {
    const root = await startTree();
    const { pssBytes } = readTreeUsage(root);
    expect(Math.abs(readTreeMemory(root) - pssBytes)).toBeLessThan(0.5 * pssBytes);
  });

  test("is nothing when the process has ended", async () => {
    const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
    await once(child, "exit");
    expect(readTreeUsage(child.pid ?? 0)).toEqual({ processes: 1, cpuMs: 0, rssBytes: 0, pssBytes: 0 });
  });
});
