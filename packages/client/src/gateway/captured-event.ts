import type { EntryType } from "@muster/protocol";
import type { LogContext } from "../logger.js";

/** A batch entry kept in `firehoseEvents` instead of being sent. */
export interface CapturedEvent {
  /** The connector and the subject of the entry, as keys of the log context. */
  context: LogContext;
  data: {
    type: EntryType;
    body: Record<string, unknown>;
    requestId?: string;
  };
}
