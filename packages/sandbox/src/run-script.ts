import type { SandboxLimits, SandboxRun } from "./script-run.js";
import { ScriptThreads } from "./threads/script-threads.js";

/** Variables that the script can read, by name. */
export type ScriptInput = Readonly<Record<string, unknown>>;

export interface ScriptOptions extends SandboxLimits {
  /** Whose script it is, such as the name of an organization. Owners take turns, and one never waits for all scripts of another. */
  owner?: string;
}

const DEFAULT_TIME_MS = 1_000;
const DEFAULT_MEMORY_BYTES = 32 * 1024 * 1024;

// Three owners whose scripts never end leave one thread for all others.
const threads = new ScriptThreads({ count: 4, maxWaiting: 100, maxWaitMs: 10_000 });

/**
 * Runs a script and returns the actions it asks for. The script calls `traits` and `track` for the user or account that
 * it runs for, and `asUser(claims)` or `asAccount(claims)` for others. It runs in a thread that is ended when the script
 * exceeds a limit. Rejects with `SandboxUnavailable` when too many scripts wait.
 *
 * @example
 * const { actions } = await runScript(`traits({ domain: input.email.split("@")[1] })`, { input: { email: "a@b.c" } });
 */
export async function runScript(code: string, input: ScriptInput, options: ScriptOptions = {}): Promise<SandboxRun> {
  const { owner = "", timeMs = DEFAULT_TIME_MS, memoryBytes = DEFAULT_MEMORY_BYTES } = options;
  const text = inputText(input);
  if (text === undefined) return { actions: [], logs: [], error: TOO_DEEP, line: undefined, timeMs: 0 };
  const { results, ...run } = await threads.run(owner, { code, input: text, timeMs, memoryBytes });
  // The thread has checked this text.
  return { ...(JSON.parse(results) as Pick<SandboxRun, "actions" | "logs">), ...run };
}

const TOO_DEEP = "The input of the script is nested too deeply.";

/** The input as JSON; undefined when it is nested so deep that JSON.stringify overflows its stack. */
function inputText(input: ScriptInput): string | undefined {
  try {
    return JSON.stringify(Object.fromEntries(Object.entries(input).map(([name, value]) => [name, value ?? null])));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Ends all scripts at once and runs no more, because the process ends. Scripts that wait are rejected. */
export function closeSandbox(): Promise<void> {
  return threads.close();
}
