import type { DestinationThreadsOptions } from "../thread/destination-threads.js";
import { startFromSources } from "../thread/start-from-sources.js";

/** Starts threads whose requests go to a recorder. */
export function startRecordedThread(recorderPort: number): DestinationThreadsOptions["start"] {
  const file = new URL("./recorded-thread.ts", import.meta.url);
  return (data, resourceLimits) => startFromSources(file, { workerData: { ...data, recorderPort }, resourceLimits });
}
