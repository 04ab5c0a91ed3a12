import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { DestinationThreadsOptions } from "@muster/destinations";

/** Starts the threads of destinations: from the bundle, or from the sources when there is none. */
export function startDestinationThread(allowPrivateNetwork: boolean): DestinationThreadsOptions["start"] {
  const built = new URL("./destination-thread.js", import.meta.url);
  const isBuilt = existsSync(fileURLToPath(built));
  const source = new URL("./destination-thread.ts", import.meta.url).href;
  // Node 20 does not let a loader see the first file of a thread.
  const code = `import("tsx/esm/api").then(({ register }) => (register(), import(${JSON.stringify(source)})))`;
  return (data, resourceLimits) => {
    const options = { workerData: { ...data, allowPrivateNetwork }, resourceLimits };
    if (isBuilt) return new Worker(built, options);
    return new Worker(code, { ...options, eval: true, execArgv: ["--conditions=@muster/source"] });
  };
}
