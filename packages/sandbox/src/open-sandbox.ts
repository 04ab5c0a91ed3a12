import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

/** How much a script may use. */
export interface SandboxLimits {
  /** Milliseconds of processor time. Default 1,000. */
  timeMs?: number;
  /** Bytes. Default 32 MB. */
  memoryBytes?: number;
}

const DEFAULT_TIME_MS = 1_000;
// On a busy machine a script waits more than it runs. It is ended after this many times its processor time.
const WALL_TIME_FACTOR = 10;
const DEFAULT_MEMORY_BYTES = 32 * 1024 * 1024;
const STACK_BYTES = 256 * 1024;

let loading: Promise<QuickJSWASMModule> | undefined;

/**
 * Runs `use` with a new JavaScript engine, one for every script. The engine has no files, network, timers or anything
 * else of this process.
 */
export async function openSandbox<Result>(limits: SandboxLimits, use: (vm: QuickJSContext) => Result): Promise<Result> {
  loading ??= newQuickJSWASMModuleFromVariant(import("@jitl/quickjs-wasmfile-release-sync"));
  const runtime = (await loading).newRuntime();
  let vm: QuickJSContext | undefined;
  try {
    runtime.setMemoryLimit(limits.memoryBytes ?? DEFAULT_MEMORY_BYTES);
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(createClock(limits.timeMs ?? DEFAULT_TIME_MS));
    vm = runtime.newContext();
    return use(vm);
  } finally {
    dispose(runtime, vm);
  }
}

/**
 * Frees the engine. It aborts when a script ended in the middle of a stack overflow and left objects behind. Its
 * WebAssembly module is unusable then, so the next script gets a new module.
 */
function dispose(runtime: QuickJSRuntime, vm: QuickJSContext | undefined): void {
  try {
    vm?.dispose();
    runtime.dispose();
  } catch {
    loading = undefined;
  }
}

/** A function that says whether a script that starts now has used up its time. */
function createClock(timeMs: number): () => boolean {
  const start = process.cpuUsage();
  const latest = performance.now() + timeMs * WALL_TIME_FACTOR;
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000 > timeMs || performance.now() > latest;
  };
}
