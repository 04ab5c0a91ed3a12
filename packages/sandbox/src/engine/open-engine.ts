import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

export interface EngineLimits {
  memoryBytes: number;
  /** Whether the time of the script is up. The engine asks between instructions of the script, not in built-in functions. */
  isOver(): boolean;
}

const STACK_BYTES = 256 * 1024;
const PAGE_BYTES = 65_536;
// What the engine needs for itself. Its module asks for so much when it starts.
const OWN_BYTES = 16 * 1024 * 1024;
// A script is refused memory by the engine first. The WebAssembly memory has this end in case the engine miscounts.
const MOST_BYTES = 256 * 1024 * 1024;

// The types of Node 20 do not have it.
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => object };
};

let loading: Promise<QuickJSWASMModule> | undefined;

function loadEngine(): Promise<QuickJSWASMModule> {
  loading ??= newQuickJSWASMModuleFromVariant(
    // Its types are those of its CommonJS file, which has the variant in another place.
    newVariant(variant as unknown as QuickJSSyncVariant, {
      wasmMemory: new WebAssembly.Memory({ initial: OWN_BYTES / PAGE_BYTES, maximum: MOST_BYTES / PAGE_BYTES }),
    }),
  );
  return loading;
}

/**
 * Runs `use` with a new JavaScript context, one for every script. It has no files, network, timers or anything else of
 * this process. Rejects when the engine itself fails; the next script gets a new engine then.
 */
export async function openEngine<Result>(limits: EngineLimits, use: (vm: QuickJSContext) => Result): Promise<Result> {
  const runtime = (await loadEngine()).newRuntime();
  let result: Result;
  try {
    runtime.setMemoryLimit(limits.memoryBytes);
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(limits.isOver);
    const vm = runtime.newContext();
    result = use(vm);
    try {
      vm.dispose();
      runtime.dispose();
    } catch {
      // The engine aborts when a script ended in the middle of a stack overflow and left objects behind. The script has
      // its result, but the engine is unusable.
      loading = undefined;
    }
  } catch (error) {
    // An error that passed through the engine has left its memory and stack as they were at that moment.
    loading = undefined;
    throw error;
  }
  return result;
}
