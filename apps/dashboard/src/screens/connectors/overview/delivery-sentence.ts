import type { Delivery } from "@muster/protocol/api/deliveries";
import { formatCount, formatDuration } from "../../../ui/text/format.js";
import type { Status } from "../../../ui/text/status-dot.js";

export interface DeliverySentence {
  status: Status;
  text: string;
}

/** A lag below this is nothing to worry about. */
const LATE_MS = 60_000;

/** How the delivery to a connector stands, in one or two sentences. */
export function deliverySentence(delivery: Delivery, now: number): DeliverySentence {
  const { queued_messages: queued, lag_ms: lag, next_call_at: nextCallAt, pause_reason: reason, failures } = delivery;
  const waits = queued === 0 ? "Nothing waits." : `${formatCount(queued, "message")} ${verb(queued)}.`;
  const oldest = queued === 0 ? "" : ` The oldest is ${formatDuration(lag)} old.`;
  const pauseMs = nextCallAt === null ? 0 : Date.parse(nextCallAt) - now;
  if (pauseMs <= 0 || reason === null) {
    const status = failures > 0 ? "bad" : lag > LATE_MS ? "late" : "good";
    return { status, text: `${waits}${oldest}` };
  }
  const pause = `The next call is in ${formatDuration(Math.ceil(pauseMs / 1_000) * 1_000)}, because ${because(reason)}`;
  return { status: failures > 0 ? "bad" : "late", text: `${waits}${oldest} ${pause}` };
}

/** How many messages a minute were delivered in the last minutes that are over. */
export function ratePerMinute(points: readonly { delivered: number }[], minutes = 5): number {
  const last = points.slice(-minutes - 1, -1);
  return last.length === 0 ? 0 : last.reduce((sum, { delivered }) => sum + delivered, 0) / last.length;
}

function verb(count: number): string {
  return count === 1 ? "waits" : "wait";
}

function because(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
