import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { formatCount, formatDuration } from "../../ui/text/format.js";
import type { Status } from "../../ui/text/status-dot.js";

/** How a connector is, in one sentence. */
export interface ConnectorState {
  status: Status;
  sentence: string;
  /** The higher, the more it needs somebody. */
  trouble: number;
}

const LATE_AFTER_MS = 60_000;

/** Without a delivery, nobody knows how messages to the connector fare. */
export function connectorState(connector: Connector, delivery: Delivery | undefined): ConnectorState {
  const { status, messages } = connector.status;
  const said = messages.filter((message) => message.trim() !== "").join(" ");
  const with_ = (start: string) => (said === "" ? `${start}.` : `${start}: ${said}`);
  if (!connector.enabled) {
    const then = connector.when_disabled === "hold" ? "its messages wait" : "its messages are dropped";
    return { status: "unknown", sentence: `Switched off: ${then}.`, trouble: 1 };
  }
  if (status === "error") return { status: "bad", sentence: with_("It reports an error"), trouble: 5 };
  if (delivery && delivery.circuit !== "closed") {
    const reason = delivery.last_error ?? "it does not answer.";
    return { status: "bad", sentence: `Messages cannot be delivered: ${reason}`, trouble: 5 };
  }
  if (status === "setupRequired") return { status: "late", sentence: with_("It must be set up"), trouble: 4 };
  if (status === "warning") return { status: "late", sentence: with_("It reports a warning"), trouble: 3 };
  if (delivery && delivery.dead_letters > 0) {
    const count = formatCount(delivery.dead_letters, "message was", "messages were");
    if (delivery.last_error === null) {
      return { status: "late", sentence: `It works, but ${count} given up.`, trouble: 3 };
    }
    return { status: "bad", sentence: `${count} given up. The last call: ${delivery.last_error}`, trouble: 4 };
  }
  if (delivery && delivery.queued_messages > 0 && delivery.lag_ms > LATE_AFTER_MS) {
    return { status: "late", sentence: `It works, ${formatDuration(delivery.lag_ms)} behind.`, trouble: 2 };
  }
  if (connector.source_url === null) {
    return { status: "good", sentence: "API credentials: it sends data and receives none.", trouble: 0 };
  }
  if (!delivery) return { status: "unknown", sentence: with_("Whether it gets its messages is not known"), trouble: 0 };
  return { status: "good", sentence: said === "" ? "It works." : `It works: ${said}`, trouble: 0 };
}

/** The connectors, those with most trouble first. */
export function byTrouble<Row extends { connector: Connector; state: ConnectorState }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => b.state.trouble - a.state.trouble || a.connector.name.localeCompare(b.connector.name));
}
