import type { QuickJSContext } from "quickjs-emscripten-core";
import { openSandbox, type SandboxLimits } from "./open-sandbox.js";
import { PRELUDE } from "./prelude.js";

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

/** Variables that the script can read, by name. */
export type ScriptInput = Readonly<Record<string, unknown>>;

/**
 * Runs a script and returns the actions it asks for. The script calls `traits` and `track` for the user or account that
 * it runs for, and `asUser(claims)` or `asAccount(claims)` for others.
 *
 * @example
 * const { actions } = await runScript(`traits({ domain: input.email.split("@")[1] })`, { input: { email: "a@b.c" } });
 */
export async function runScript(code: string, input: ScriptInput, limits: SandboxLimits = {}): Promise<SandboxRun> {
  let startedAt = performance.now();
  try {
    return await openSandbox(limits, (vm) => {
      const unprepared = evaluate(vm, PRELUDE) ?? evaluate(vm, declare(input));
      startedAt = performance.now();
      const failed = unprepared ?? evaluate(vm, wrap(code));
      const timeMs = performance.now() - startedAt;
      // The results are read after the script, also after a failed one: actions before the error are still worth showing.
      return { ...readResults(vm), error: failed?.error, line: failed?.line, timeMs };
    });
  } catch (error) {
    // The engine runs on the stack of this process, which can end before the engine's own limit.
    if (!(error instanceof RangeError)) throw error;
    const timeMs = performance.now() - startedAt;
    return { actions: [], logs: [], error: "The script needed too much stack.", line: undefined, timeMs };
  }
}

/** The input is passed as JSON text, so that the script never reaches an object of this process. */
function declare(input: ScriptInput): string {
  return Object.entries(input)
    .map(
      ([name, value]) =>
        `globalThis[${JSON.stringify(name)}] = JSON.parse(${JSON.stringify(JSON.stringify(value ?? null))});`,
    )
    .join("\n");
}

/** In a function, so that `return` ends a script early. */
function wrap(code: string): string {
  return `(function () { "use strict";\n${code}\n})();`;
}

interface Failure {
  error: string;
  line: number | undefined;
}

function evaluate(vm: QuickJSContext, code: string): Failure | undefined {
  const result = vm.evalCode(code, "script.js");
  if (!result.error) {
    result.value.dispose();
    return undefined;
  }
  const thrown: unknown = vm.dump(result.error);
  result.error.dispose();
  return { error: describe(thrown), line: lineOf(thrown, code) };
}

/** Where the script failed: the first place in it that the stack names. The first line comes from `wrap`. */
function lineOf(thrown: unknown, code: string): number | undefined {
  const { stack } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as { stack?: unknown };
  const place = typeof stack === "string" ? /script\.js:(\d+)/.exec(stack) : null;
  if (!place) return undefined;
  const lines = code.split("\n").length - 2;
  // An error that is found only at the end, such as a missing bracket, is in the last line.
  return Math.max(1, Math.min(Number(place[1]) - 1, lines));
}

// An error goes to logs and answers, and a script can throw one of any size.
const MAX_ERROR_LENGTH = 1_000;

function describe(thrown: unknown): string {
  const { name, message } = (typeof thrown === "object" && thrown !== null ? thrown : { message: String(thrown) }) as {
    name?: string;
    message?: string;
  };
  if (name === "InternalError" && message === "interrupted") return "The script took too long.";
  if (name === "InternalError" && message?.includes("out of memory")) return "The script needed too much memory.";
  const text = name ? `${name}: ${message}` : String(message);
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text;
}

function readResults(vm: QuickJSContext): Pick<SandboxRun, "actions" | "logs"> {
  const result = vm.evalCode("__results()");
  // A script that used up its memory or time leaves none to read its results with.
  if (result.error) {
    result.error.dispose();
    return { actions: [], logs: [] };
  }
  const text = vm.getString(result.value);
  result.value.dispose();
  // The prelude wrote this text and checked its parts.
  return JSON.parse(text) as Pick<SandboxRun, "actions" | "logs">;
}
