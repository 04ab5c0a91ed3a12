import { performance } from "node:perf_hooks";
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import { ENGINE_FAILED, TOO_MUCH_MEMORY, TOO_MUCH_STACK, TOOK_TOO_LONG } from "../script-run.js";
import { NO_RESULTS, type ScriptAnswer, type ScriptTask } from "../threads/thread-messages.js";
import { areResults } from "./are-results.js";
import { Deadline } from "./deadline.js";
import { openEngine } from "./open-engine.js";
import { DESCRIBE, PRELUDE } from "./prelude.js";

/** Runs a script. `systemId` is the id of the calling thread, whose processor time counts. */
export async function runInEngine(task: ScriptTask, systemId: number | undefined): Promise<ScriptAnswer> {
  const deadline = new Deadline(systemId);
  const startedAt = performance.now();
  try {
    return await openEngine({ memoryBytes: task.memoryBytes, isOver: deadline.isOver }, (vm) =>
      runIn(vm, task, deadline),
    );
  } catch (error) {
    const timeMs = performance.now() - startedAt;
    return { results: NO_RESULTS, error: describeEngineError(error), line: undefined, timeMs };
  }
}

// For describing an error. A getter of the thrown value may use it up.
const LAST_WORDS_MS = 50;
// The results have at most 4 MB.
const MEMORY_FOR_RESULTS = 32 * 1024 * 1024;
const NO_PLAIN_OBJECTS = "The results of the script cannot be read: give plain objects to its functions.";

interface Failure {
  error: string;
  line: number | undefined;
}

function runIn(vm: QuickJSContext, { code, input, timeMs, memoryBytes }: ScriptTask, deadline: Deadline): ScriptAnswer {
  const results = vm.unwrapResult(vm.evalCode(PRELUDE, "prelude.js"));
  try {
    const unprepared = declare(vm, input);
    const startedAt = performance.now();
    deadline.allow(timeMs);
    // In a function, so that `return` ends a script early.
    const wrapped = `(function () { "use strict";\n${code}\n})();`;
    const thrown = unprepared ?? evaluate(vm, wrapped);
    const tookMs = performance.now() - startedAt;
    // The script may have used up its time and its memory.
    deadline.lift();
    vm.runtime.setMemoryLimit(memoryBytes + MEMORY_FOR_RESULTS);
    const failure = thrown?.consume((value) => describe(vm, value, wrapped, deadline));
    // The results are read after the script, also after a failed one: actions before the error are still worth showing.
    const text = call(vm, results) ?? "";
    const isGood = areResults(text);
    const error = failure?.error ?? (isGood ? undefined : NO_PLAIN_OBJECTS);
    return { results: isGood ? text : NO_RESULTS, error, line: failure?.line, timeMs: tookMs };
  } finally {
    results.dispose();
  }
}

/** The input is passed as JSON text, so that the script never reaches an object of this process. */
function declare(vm: QuickJSContext, input: string): QuickJSHandle | undefined {
  vm.newString(input).consume((text) => vm.setProp(vm.global, "__input", text));
  return evaluate(
    vm,
    "for (const [name, value] of Object.entries(JSON.parse(__input))) globalThis[name] = value; delete globalThis.__input;",
  );
}

/** Runs code; returns the value that it threw. */
function evaluate(vm: QuickJSContext, code: string): QuickJSHandle | undefined {
  const result = vm.evalCode(code, "script.js");
  if (!result.error) result.value.dispose();
  return result.error;
}

/**
 * Reads a thrown value, which may run code of the script: a getter or a proxy. The reading functions are those of a new
 * context, so the script cannot have changed them.
 */
function describe(vm: QuickJSContext, thrown: QuickJSHandle, code: string, deadline: Deadline): Failure {
  const isLate = deadline.wasMissed;
  const reader = vm.runtime.newContext();
  try {
    const read = reader.unwrapResult(reader.evalCode(DESCRIBE));
    deadline.allow(LAST_WORDS_MS);
    const text = read.consume(() => call(reader, read, thrown));
    deadline.lift();
    if (text === undefined) return { error: TOOK_TOO_LONG, line: undefined };
    // The function wrote this text.
    const { name, message, stack } = JSON.parse(text) as { name?: string; message?: string; stack?: string };
    return { error: isLate ? TOOK_TOO_LONG : sentence(name, message), line: lineOf(stack, code) };
  } finally {
    reader.dispose();
  }
}

/** Calls a function that returns a text; undefined when it cannot run to its end. */
function call(vm: QuickJSContext, read: QuickJSHandle, ...args: QuickJSHandle[]): string | undefined {
  const result = vm.callFunction(read, vm.undefined, ...args);
  if (!result.error) return result.value.consume((text) => vm.getString(text));
  result.error.dispose();
  return undefined;
}

// An error goes to logs and answers, and a script can throw one of any size.
const MAX_ERROR_LENGTH = 1_000;

function sentence(name: string | undefined, message: string | undefined): string {
  if (message === undefined) return "The script threw a value without a message.";
  if (name === "InternalError" && message.includes("out of memory")) return TOO_MUCH_MEMORY;
  const text = name ? `${name}: ${message}` : message;
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text;
}

/** Where the script failed: the first place in it that the stack names. The first line comes from `runIn`. */
function lineOf(stack: string | undefined, code: string): number | undefined {
  const place = /script\.js:(\d+)/.exec(stack ?? "");
  if (!place) return undefined;
  const lines = code.split("\n").length - 2;
  // An error that is found only at the end, such as a missing bracket, is in the last line.
  return Math.max(1, Math.min(Number(place[1]) - 1, lines));
}

/** The engine runs on the stack of its thread, which can end before the engine's own limit. */
function describeEngineError(error: unknown): string {
  return error instanceof RangeError ? TOO_MUCH_STACK : ENGINE_FAILED;
}
