import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface PatternTest {
  pattern: string;
  text: string;
}

/** The longest time that all tests of one call may take. */
const TIMEOUT_MS = 1_000;

// The code is a string, because a file would have one name in the sources and another in the build.
const CODE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const expressions = new Map();
  const expressionOf = (pattern) => {
    if (!expressions.has(pattern)) expressions.set(pattern, new RegExp(pattern));
    return expressions.get(pattern);
  };
  parentPort.postMessage(workerData.map(({ pattern, text }) => expressionOf(pattern).test(text)));
`;

/**
 * Whether texts match regular expressions of connector authors; undefined when the test takes too long. Such an expression
 * can run for ever on some texts, so it runs in a thread of its own, which is terminated after a time limit.
 */
export async function matchPatterns(tests: readonly PatternTest[]): Promise<boolean[] | undefined> {
  if (tests.length === 0) return [];
  const worker = new Worker(CODE, { eval: true, workerData: tests, resourceLimits: { maxOldGenerationSizeMb: 64 } });
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // On a busy machine the thread starts late, so the time counts from its start.
  worker.once("online", () => {
    timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  });
  try {
    const [results] = await once(worker, "message", { signal: stop.signal });
    return results as boolean[];
  } catch {
    // The time is up, or an expression is too large to be compiled.
    return undefined;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
