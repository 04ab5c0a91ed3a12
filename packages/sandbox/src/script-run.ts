/** The user or account that an action is about. Without claims it is the one that the script runs for. */
export interface SandboxSubject {
  user?: Record<string, string>;
  account?: Record<string, string>;
}

/** An action that a script asks for. Running the script does not perform it; `performActions` does. */
export type SandboxAction =
  | { kind: "traits"; subject: SandboxSubject; attributes: Record<string, unknown> }
  | {
      kind: "track";
      subject: SandboxSubject;
      event: string;
      properties: Record<string, unknown>;
      context: Record<string, unknown>;
    }
  | { kind: "alias" | "unalias"; subject: SandboxSubject; body: Record<string, string> };

export interface SandboxRun {
  actions: SandboxAction[];
  /** What the script wrote with `console`. */
  logs: string[];
  /** A sentence that says why the script failed; undefined when it ran to its end. */
  error: string | undefined;
  /** The line of the script where it failed, counted from 1; undefined when that is not known. */
  line: number | undefined;
  /** How long the script ran, in milliseconds. */
  timeMs: number;
}

/** How much a script may use. */
export interface SandboxLimits {
  /** Milliseconds of processor time. Default 1,000. A script that waits for a processor is ended after ten times as long. */
  timeMs?: number;
  /** Bytes. Default 32 MB. */
  memoryBytes?: number;
}

/** Why a script was ended that exceeded a limit. */
export const TOOK_TOO_LONG = "The script took too long.";
export const TOO_MUCH_MEMORY = "The script needed too much memory.";
export const TOO_MUCH_STACK = "The script needed too much stack.";
export const ENGINE_FAILED = "The script made the engine fail that ran it.";
