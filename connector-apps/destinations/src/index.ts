export { createDestination } from "./connector/create-destination.js";
export { DestinationThreads, type DestinationThreadsOptions } from "./thread/destination-threads.js";
export { startFromSources } from "./thread/start-from-sources.js";
