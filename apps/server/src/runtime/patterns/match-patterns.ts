import { ThreadEnded, type Threads } from "../threads/threads.js";

export interface PatternTest {
  pattern: string;
  text: string;
}

interface PatternCalls {
  /** Undefined when an expression cannot be compiled. */
  match(tests: readonly PatternTest[]): boolean[] | undefined;
}

/** The longest time that all tests of one call may take. */
const TIMEOUT_MS = 1_000;

// A text of code, because a file would have one name in the sources and another in the build. It answers in the way of
// `ThreadCalls`.
const CODE = `
  const { parentPort } = require("node:worker_threads");
  const expressions = new Map();
  const expressionOf = (pattern) => {
    if (!expressions.has(pattern)) expressions.set(pattern, new RegExp(pattern));
    return expressions.get(pattern);
  };
  const match = (tests) => {
    try {
      return tests.map(({ pattern, text }) => expressionOf(pattern).test(text));
    } catch {
      return undefined;
    }
  };
  parentPort.on("message", ({ id, args: [tests] }) => parentPort.postMessage({ answer: id, value: match(tests) }));
`;

const KIND = { name: "patterns", start: CODE, limits: { maxOldGenerationSizeMb: 64 } };

/**
 * Whether texts match regular expressions of connector authors; undefined when the test takes too long. Such an expression
 * can run for ever on some texts, so it runs in a thread of its own, which is terminated after a time limit.
 */
export async function matchPatterns(threads: Threads, tests: readonly PatternTest[]): Promise<boolean[] | undefined> {
  if (tests.length === 0) return [];
  const thread = threads.start<PatternCalls>(KIND);
  let timer: NodeJS.Timeout | undefined;
  // On a busy machine the thread starts late, so the time counts from its start.
  thread.whenOnline(() => {
    timer = setTimeout(() => void thread.end(), TIMEOUT_MS);
  });
  try {
    return await thread.calls.ask("match", [tests]);
  } catch (error) {
    // The time is up, or an expression has used up the memory.
    if (error instanceof ThreadEnded) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    await thread.end();
  }
}
