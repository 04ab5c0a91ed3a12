import type { AskRows, CompiledAggregation } from "@muster/query";
import type { AskOptions } from "./asking.js";
import { Mutex } from "./mutex.js";

// One request may have as many statements as it has aggregations, and each occupies a reader of the engine.
const AT_ONCE = 4;

/** Asks the statements of aggregations, a few at a time. After an error, nothing more is asked. */
export async function askAggregations(
  compiled: readonly CompiledAggregation[],
  { signal }: AskOptions,
  ask: (statement: Parameters<AskRows>[0], options: AskOptions) => ReturnType<AskRows>,
): Promise<Record<string, unknown>> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(signal?.reason);
  const lanes = Array.from({ length: AT_ONCE }, () => new Mutex());
  let asked = 0;
  const inLane: AskRows = (statement) =>
    lanes[asked++ % AT_ONCE]!.run(async () => {
      stopping.signal.throwIfAborted();
      return ask(statement, { signal: stopping.signal });
    });
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const answers = compiled.map(async ({ name, answer }) => [name, await answer(inLane)] as const);
    return Object.fromEntries(await Promise.all(answers));
  } finally {
    stop();
    signal?.removeEventListener("abort", stop);
    // The caller may close the file of the organization, which statements that still run would read.
    await Promise.all(lanes.map((lane) => lane.run(async () => {})));
  }
}
