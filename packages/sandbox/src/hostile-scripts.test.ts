import { afterAll, describe, expect, it } from "vitest";
import { runScript } from "./run-script.js";
import { HOSTILE_SCRIPTS } from "./testing/hostile-scripts.js";

const LIMITS = { timeMs: 100 };
const GOOD = "traits({ domain: user.email.split('@')[1] })";
const INPUT = { user: { email: "ada@example.com" } };
/** How long the good scripts of another owner took, in milliseconds. */
const waits: number[] = [];

describe("a hostile script ends with an error that a person understands, and others go on:", () => {
  it.each(Object.entries(HOSTILE_SCRIPTS))("%s", async (_name, [code, expected]) => {
    const hostile = runScript(code, { user: {} }, { ...LIMITS, owner: "hostile" });
    const startedAt = performance.now();
    const good = await runScript(GOOD, INPUT, { owner: "good" });
    waits.push(performance.now() - startedAt);
    expect(good).toMatchObject({ actions: [{ attributes: { domain: "example.com" } }], error: undefined });
    const { error = "", logs, timeMs } = await hostile;
    expect(error).toMatch(expected);
    // A name and a message, each shortened.
    expect(error.length).toBeLessThan(1_010);
    expect(logs.every((line) => typeof line === "string")).toBe(true);
    // Ten times the processor time is the most that a busy machine may need, and 150 ms later the thread is ended.
    expect(timeMs).toBeLessThan(10 * (LIMITS.timeMs + 150) + 500);
  });

  afterAll(() => {
    waits.sort((a, b) => a - b);
    // Far less than the time of a hostile script, also on a busy machine: the good scripts waited for none.
    expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(LIMITS.timeMs);
  });
});
