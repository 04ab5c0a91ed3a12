import type { FlowControl } from "@muster/protocol";
import type { CallOutcome } from "../../domain/delivery/delivery.js";
import { readFlowControl } from "../../domain/delivery/flow-control.js";
import type { OutboundAnswer } from "../../outbound/exchange.js";

/** Statuses that say that the connector is unavailable. They say nothing about the messages. */
const UNAVAILABLE = new Set([408, 425, 429, 502, 503, 504]);

/** What the answer to a notification under flow control means. `json` is undefined when the body is not JSON. */
export function readSmartAnswer({ status, headers }: OutboundAnswer, json: unknown): CallOutcome {
  const flow = readFlowControl(json);
  if (status < 200 || status > 299) return failure(status, flow, headers["retry-after"]);
  if (json === undefined)
    return { kind: "refused", reason: "It answered something that is not JSON.", flow: undefined };
  return flow?.type === "retry" ? { kind: "deferred", flow } : { kind: "delivered", flow };
}

/** What the answer to a single notification means: only its status counts, besides what it reports. */
export function readPlainAnswer({ status, headers }: OutboundAnswer): CallOutcome {
  if (status < 200 || status > 299) return failure(status, undefined, headers["retry-after"]);
  return { kind: "delivered", flow: undefined };
}

function failure(status: number, flow: FlowControl | undefined, retryAfter: string | undefined): CallOutcome {
  const reason = `It answered with status ${status}.`;
  if (!UNAVAILABLE.has(status)) return { kind: "refused", reason, flow };
  // The connector itself has answered, so it is available. It says when it wants the messages again.
  if (flow?.type === "retry") return { kind: "deferred", reason, flow };
  const seconds = Number(retryAfter ?? Number.NaN);
  const wait = flow ?? readFlowControl({ flow_control: { type: "retry", in: seconds * 1_000 } });
  return { kind: "unavailable", reason, flow: wait };
}
