import type { ConnectorState } from "@muster/protocol/api/overview";
import { formatCount, formatDuration } from "../../ui/text/format.js";
import type { Status } from "../../ui/text/status-dot.js";

/** How a connector does, in a few words. */
export function connectorSentence(connector: ConnectorState): { status: Status; text: string } {
  const { enabled, status, messages, circuit, last_error, dead_letters, queued_messages, lag_ms, receives } = connector;
  const said = messages[0];
  if (!enabled) return { status: "unknown", text: "Disabled" };
  if (status === "error") return { status: "bad", text: said ?? "It reports an error" };
  if (circuit !== "closed") return { status: "bad", text: last_error ?? "Calls to it fail" };
  if (status === "setupRequired") return { status: "late", text: said ?? "It must be set up" };
  if (dead_letters > 0) {
    // Red in the list of connectors too: the last call has failed.
    return {
      status: last_error === null ? "late" : "bad",
      text: `${formatCount(dead_letters, "message")} not delivered`,
    };
  }
  if (status === "warning") return { status: "late", text: said ?? "It reports a warning" };
  if (queued_messages > 0) {
    return {
      status: "good",
      text: `${formatCount(queued_messages, "message")} in its queue, the oldest for ${formatDuration(lag_ms)}`,
    };
  }
  return { status: "good", text: receives ? "Up to date" : "It only sends" };
}
