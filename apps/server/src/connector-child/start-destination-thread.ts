import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type DestinationThreadsOptions, startFromSources } from "@muster/destinations";

/** Starts the threads of destinations: from the bundle, or from the sources when there is none. */
export function startDestinationThread(allowPrivateNetwork: boolean): DestinationThreadsOptions["start"] {
  const built = new URL("./destination-thread.js", import.meta.url);
  const isBuilt = existsSync(fileURLToPath(built));
  return (data, resourceLimits) => {
    const options = { workerData: { ...data, allowPrivateNetwork }, resourceLimits };
    if (isBuilt) return new Worker(built, options);
    return startFromSources(new URL("./destination-thread.ts", import.meta.url), options);
  };
}
