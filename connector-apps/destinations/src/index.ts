export { createDestination } from "./connector/create-destination.js";
export type { ThreadData } from "./thread/calls.js";
export { DestinationThreads, type DestinationThreadsOptions } from "./thread/destination-threads.js";
