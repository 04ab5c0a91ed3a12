import type { SandboxRun } from "../script-run.js";

/** What a thread is asked to run. */
export interface ScriptTask {
  code: string;
  /** The variables of the script, as a text of JSON. */
  input: string;
  timeMs: number;
  memoryBytes: number;
}

/** What a thread answers. `results` are the actions and logs, as a text of JSON that the thread has checked. */
export interface ScriptAnswer extends Omit<SandboxRun, "actions" | "logs"> {
  results: string;
}

/** What a thread says when it can run scripts. */
export interface ThreadReady {
  /** The number by which the system knows the thread; undefined on systems other than Linux. */
  systemId: number | undefined;
}

export const NO_RESULTS = `{"actions":[],"logs":[]}`;
