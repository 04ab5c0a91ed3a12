import type { DestinationThreads } from "../thread/destination-threads.js";

/** What the connectors of all destinations share. */
export interface DestinationHost {
  /** The installation of the package. */
  folder: string;
  threads: DestinationThreads;
}
