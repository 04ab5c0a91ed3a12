import { execFileSync } from "node:child_process";

/**
 * Returns `condition`. When it is false, writes to stderr which tests do not run, why, and how to run them.
 *
 * @example
 * describe.runIf(canTest(isInstalled("redis-server"), "Redis is not tested: …"))("the queue in Redis", () => {});
 */
export function canTest(condition: boolean, explanation: string): boolean {
  if (!condition) console.warn(explanation);
  return condition;
}

/** Whether a program can be started. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
