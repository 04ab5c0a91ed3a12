import { afterEach, describe, expect, it } from "vitest";
import { ScriptThreads, type ScriptThreadsOptions } from "./script-threads.js";
import type { ScriptTask } from "./thread-messages.js";

const OPTIONS: ScriptThreadsOptions = { count: 2, maxWaiting: 3, maxWaitMs: 60_000 };
/** Runs until it is ended from outside. */
const ENDLESS = script("[].includes.call({ length: 2 ** 53 - 1 }, 1)", 60_000);
const opened: ScriptThreads[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((threads) => threads.close()));
});

function open(options: Partial<ScriptThreadsOptions> = {}): ScriptThreads {
  const threads = new ScriptThreads({ ...OPTIONS, ...options });
  opened.push(threads);
  return threads;
}

function script(code: string, timeMs = 1_000): ScriptTask {
  return { code, input: "{}", timeMs, memoryBytes: 2 ** 25 };
}

const error = { busy: /too many scripts are waiting/i, closed: /process is ending/ };

describe("threads for scripts", () => {
  it("run scripts of others while one owner has scripts that never end", async () => {
    const threads = open();
    const endless = [1, 2, 3].map(() => threads.run("hostile", ENDLESS).catch(String));
    for (let number = 0; number < 5; number += 1) {
      expect(await threads.run("good", script("traits({ a: 1 })"))).toMatchObject({ error: undefined });
    }
    await threads.close();
    expect(await Promise.all(endless)).toEqual(Array(3).fill(expect.stringMatching(error.closed)));
  });

  it("let owners take turns", async () => {
    const threads = open({ count: 1, maxWaiting: 100 });
    const order: string[] = [];
    const run = async (owner: string) => {
      await threads.run(owner, script(""));
      order.push(owner);
    };
    await Promise.all(["a", "a", "a", "a", "b", "c", "b"].map(run));
    expect(order).toEqual(["a", "b", "c", "a", "b", "a", "a"]);
  });

  it("refuse a script when too many of its owner wait, and one that waits too long", async () => {
    const threads = open({ count: 1, maxWaiting: 1, maxWaitMs: 50 });
    const running = threads.run("a", ENDLESS).catch(String);
    const waiting = threads.run("a", script("")).catch(String);
    await expect(threads.run("a", script(""))).rejects.toThrow(error.busy);
    await expect(threads.run("b", script(""))).rejects.toThrow(error.busy);
    expect(await waiting).toMatch(error.busy);
    await threads.close();
    expect(await running).toMatch(error.closed);
    await expect(threads.run("a", script(""))).rejects.toThrow(error.closed);
  });

  it("go on with the next owner after scripts that have given up waiting", async () => {
    const threads = open({ count: 1, maxWaitMs: 200 });
    const running = threads.run("a", script("[].includes.call({ length: 2 ** 53 - 1 }, 1)", 500));
    await expect(threads.run("b", script(""))).rejects.toThrow(error.busy);
    expect(await running).toMatchObject({ error: "The script took too long." });
    for (const owner of ["b", "a", "c"])
      expect(await threads.run(owner, script(""))).toMatchObject({ error: undefined });
  });

  it("replace a thread that was ended, or that used up its memory", async () => {
    const threads = open({ count: 1 });
    for (let round = 0; round < 3; round += 1) {
      const late = await threads.run("a", script("[].indexOf.call({ length: 2 ** 53 - 1 }, 1)", 50));
      expect(late).toMatchObject({ error: "The script took too long.", line: undefined });
      expect(await threads.run("a", script("traits({ a: 1 })"))).toMatchObject({
        results: expect.stringContaining("traits"),
        error: undefined,
      });
    }
  });
});
