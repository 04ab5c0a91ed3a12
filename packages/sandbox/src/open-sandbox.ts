import { newQuickJSWASMModuleFromVariant, type QuickJSContext, type QuickJSWASMModule } from "quickjs-emscripten-core";

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
  try {
    runtime.setMemoryLimit(limits.memoryBytes ?? DEFAULT_MEMORY_BYTES);
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(createClock(limits.timeMs ?? DEFAULT_TIME_MS));
    const vm = runtime.newContext();
    try {
      return use(vm);
    } finally {
      vm.dispose();
    }
  } finally {
    runtime.dispose();
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
