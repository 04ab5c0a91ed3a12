import type { QuickJSContext } from "quickjs-emscripten-core";
import { openSandbox, type SandboxLimits } from "./open-sandbox.js";
import { PRELUDE } from "./prelude.js";

/** Whom an action is about; neither claim means whom the script runs for. */
export interface SandboxSubject {
  user?: Record<string, string>;
  account?: Record<string, string>;
}

/** What a script wants to be done: nothing happens until somebody does it. */
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
  /** What ended the script, in a sentence; undefined when it came to its end. */
  error: string | undefined;
}

/** Variables that the script can read, by name. */
export type ScriptInput = Readonly<Record<string, unknown>>;

/**
 * Runs a script and returns what it wants done. The script calls `user(claims)` and `account(claims)`, or `traits` and
 * `track` of whom it runs for.
 *
 * @example
 * const { actions } = await runScript(`traits({ domain: input.email.split("@")[1] })`, { input: { email: "a@b.c" } });
 */
export function runScript(code: string, input: ScriptInput, limits: SandboxLimits = {}): Promise<SandboxRun> {
  return openSandbox(limits, (vm) => {
    const failed = evaluate(vm, PRELUDE) ?? evaluate(vm, declare(input)) ?? evaluate(vm, wrap(code));
    // Read apart from the script: what was asked for before an error is still worth showing.
    return { ...readResults(vm), error: failed };
  });
}

/** Input goes in as text: no object of this process is ever in reach. */
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

function evaluate(vm: QuickJSContext, code: string): string | undefined {
  const result = vm.evalCode(code, "script.js");
  if (!result.error) {
    result.value.dispose();
    return undefined;
  }
  const thrown: unknown = vm.dump(result.error);
  result.error.dispose();
  return describe(thrown);
}

function describe(thrown: unknown): string {
  const { name, message } = (typeof thrown === "object" && thrown !== null ? thrown : { message: String(thrown) }) as {
    name?: string;
    message?: string;
  };
  if (name === "InternalError" && message === "interrupted") return "The script took too long.";
  if (name === "InternalError" && message?.includes("out of memory")) return "The script needed too much memory.";
  return name ? `${name}: ${message}` : String(message);
}

function readResults(vm: QuickJSContext): Pick<SandboxRun, "actions" | "logs"> {
  const result = vm.evalCode("__results()");
  // A script that used up its memory or time leaves nothing to read with.
  if (result.error) {
    result.error.dispose();
    return { actions: [], logs: [] };
  }
  const text = vm.getString(result.value);
  result.value.dispose();
  // Written by the prelude, which checks what it is given.
  return JSON.parse(text) as Pick<SandboxRun, "actions" | "logs">;
}
