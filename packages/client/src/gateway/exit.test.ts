// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeGateway, refuse, startFakeGateway } from "../testing/fake-gateway.js";

let gateway: FakeGateway;

beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

/** Runs a program that has a `client` whose batches wait for an hour. */
async function runProgram(body: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { onLog: _, ...config } = gateway.config({ batching: { maxDelayMs: 3_600_000, maxAttempts: 2 } });
  const program = `
    import { Client } from ${JSON.stringify(new URL("../index.ts", import.meta.url).href)};
    const client = new Client(${JSON.stringify(config)});
    const user = client.asUser({ external_id: "1" });
    ${body}`;
  const flags = ["--import", "tsx", "--conditions", "@muster/source", "--input-type", "module", "--eval", program];
  const child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: child.exitCode, stdout, stderr };
}

describe("a process that ends", () => {
  it("sends what is queued first", async () => {
    const { code } = await runProgram(`for (const n of [1, 2, 3]) user.traits({ n });`);
    expect(code).toBe(0);
    expect(gateway.entries().map((entry) => entry.body.n)).toEqual([1, 2, 3]);
  });

  it("gets the verdict that it awaits at the top level", async () => {
    const { code, stdout } = await runProgram(`console.log((await user.track("Ended")).position);`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "p1\n" });
  });

  it("tries again before it gives up", async () => {
    gateway.willDo(refuse(503, "unavailable"));
    const { code } = await runProgram(`user.traits({ n: 1 });`);
    expect(code).toBe(0);
    expect(gateway.requests).toHaveLength(2);
  });

  it("is not ended by a rejection that nobody awaits; the rejection is logged", async () => {
    gateway.willDo(refuse(401, "unauthorized"));
    const { code, stderr } = await runProgram(`user.traits({ n: 1 }); user.track("");`);
    expect(code).toBe(0);
    const messages = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).message);
    expect(messages).toEqual(["client.entry.refused", "client.batch.failed"]);
  });

  it("by process.exit logs how many entries it loses", async () => {
    const { code, stderr } = await runProgram(`user.traits({ n: 1 }); user.traits({ n: 2 }); process.exit(3);`);
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ message: "client.entries.lost", data: { entries: 2 } });
    expect(gateway.requests).toEqual([]);
  });

  it("by process.exit after a call was awaited loses nothing", async () => {
    const { code, stderr } = await runProgram(`await user.traits({ n: 1 }); process.exit(0);`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(gateway.entries()).toHaveLength(1);
  });

  it("by process.exit after a flush loses nothing", async () => {
    const { code, stderr } = await runProgram(`user.traits({ n: 1 }); await client.flush(); process.exit(0);`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(gateway.entries()).toHaveLength(1);
  });
});
