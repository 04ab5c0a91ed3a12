import { Worker } from "node:worker_threads";
import type { ThreadData } from "../thread/calls.js";

/** Starts a thread from the sources, whose requests go to a recorder. */
export function startRecordedThread(recorderPort: number) {
  const file = new URL("./recorded-thread.ts", import.meta.url).href;
  // Node 20 does not let a loader see the first file of a thread.
  const code = `import("tsx/esm/api").then(({ register }) => (register(), import(${JSON.stringify(file)})))`;
  return (data: ThreadData, resourceLimits: { maxOldGenerationSizeMb: number }): Worker =>
    new Worker(code, {
      eval: true,
      workerData: { ...data, recorderPort },
      resourceLimits,
      execArgv: ["--conditions=@muster/source"],
    });
}
