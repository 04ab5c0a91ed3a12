import type { Batching } from "../batching.js";
import type { Logger } from "../logger.js";

/** Where batches of one connector go. Clients whose destinations have the same key share their batches. */
export interface Destination {
  readonly key: string;
  readonly url: URL;
  /** Says which connector of which organization is calling. */
  readonly headers: Readonly<Record<string, string>>;
  readonly batching: Batching;
  readonly logger: Logger;
}
