import { newQuickJSWASMModuleFromVariant, type QuickJSContext, type QuickJSWASMModule } from "quickjs-emscripten-core";

/** How much a script may use. */
export interface SandboxLimits {
  /** Milliseconds. Default 500. */
  timeMs?: number;
  /** Bytes. Default 32 MB. */
  memoryBytes?: number;
}

const DEFAULT_TIME_MS = 500;
const DEFAULT_MEMORY_BYTES = 32 * 1024 * 1024;
const STACK_BYTES = 256 * 1024;

let loading: Promise<QuickJSWASMModule> | undefined;

/**
 * Runs `use` with a JavaScript engine of its own: a fresh one for every script, without files, network, timers or
 * anything else of this process.
 */
export async function openSandbox<Result>(limits: SandboxLimits, use: (vm: QuickJSContext) => Result): Promise<Result> {
  loading ??= newQuickJSWASMModuleFromVariant(import("@jitl/quickjs-wasmfile-release-sync"));
  const runtime = (await loading).newRuntime();
  try {
    runtime.setMemoryLimit(limits.memoryBytes ?? DEFAULT_MEMORY_BYTES);
    runtime.setMaxStackSize(STACK_BYTES);
    const deadline = performance.now() + (limits.timeMs ?? DEFAULT_TIME_MS);
    runtime.setInterruptHandler(() => performance.now() > deadline);
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
