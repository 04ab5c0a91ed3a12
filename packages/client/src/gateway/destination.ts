import type { Batching } from "../batching.js";
import type { Logger } from "../logger.js";

/** Where the batches of one connector are sent. Clients whose destinations have the same key share batches. */
export interface Destination {
  readonly key: string;
  readonly url: URL;
  /** Headers that name the connector and its organization. */
  readonly headers: Readonly<Record<string, string>>;
  readonly batching: Batching;
  readonly logger: Logger;
}
