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

// Three owners whose scripts never end leave one thread for all others. A thread has 30 MB.
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
  const text = JSON.stringify(Object.fromEntries(Object.entries(input).map(([name, value]) => [name, value ?? null])));
  const { results, ...run } = await threads.run(owner, { code, input: text, timeMs, memoryBytes });
  // The thread has checked this text.
  return { ...(JSON.parse(results) as Pick<SandboxRun, "actions" | "logs">), ...run };
}

/** Ends all scripts at once and runs no more, because the process ends. Scripts that wait are rejected. */
export function closeSandbox(): Promise<void> {
  return threads.close();
}
