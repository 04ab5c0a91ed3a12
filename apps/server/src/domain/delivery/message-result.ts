import type { MessageReport } from "@muster/protocol";
import type { TraceResult } from "@muster/protocol/api/deliveries";
import type { FailedCall } from "./dead-letter.js";
import type { CallOutcome } from "./delivery.js";
import type { StoredMessage } from "./message.js";
import type { ReportedResults } from "./reported-results.js";

/** What became of one message in a call. */
export interface MessageResult {
  kind: TraceResult;
  /** The answer of the service, if the connector reported it. Otherwise the connector's own. */
  answer: FailedCall["answer"];
  /** Why; empty when the message was delivered. */
  reason: string;
  /** Whether the connector said it about this message. Otherwise the result is that of the whole call. */
  isReported: boolean;
}

/**
 * What became of each message of a call. A call that was not delivered decides for all its messages, because they stay in
 * the queue. What the connector reports then says why.
 */
export function messageResults(
  messages: readonly Pick<StoredMessage, "message_id">[],
  outcome: CallOutcome,
  answer: FailedCall["answer"],
  reported: ReportedResults | undefined,
): MessageResult[] {
  const ofCall: MessageResult = { kind: outcome.kind, answer, reason: reasonIn(outcome) ?? "", isReported: false };
  // Reports about other messages alone say nothing about those of this call.
  if (!reported || reported.byId.size === 0) return messages.map(() => ofCall);
  if (outcome.kind !== "delivered") {
    return messages.map(({ message_id: id }) => withReport(ofCall, reported.byId.get(id)));
  }
  const unreported: MessageResult = { ...ofCall, kind: "unreported", reason: UNREPORTED };
  return messages.map(({ message_id: id }) => {
    const report = reported.byId.get(id);
    return report ? resultOf(report, answer) : unreported;
  });
}

/** What a report says about its message. `ofCall` is the answer that it came with. */
export function resultOf(report: MessageReport, ofCall: FailedCall["answer"]): MessageResult {
  const { result, status, reason } = report;
  const answer = answerIn(report) ?? ofCall;
  switch (result) {
    case "accepted":
      return { kind: "delivered", answer, reason: "", isReported: true };
    case "refused":
      // The connector's own answer was a success, so it does not say why the service refused the message.
      return { kind: "refused", answer: answerIn(report), reason: reason ?? refusedWith(status), isReported: true };
    case "skipped":
      return { kind: "skipped", answer, reason: reason ?? "There was nothing to do.", isReported: true };
    case "retried":
      return { kind: "retried", answer, reason: reason ?? "The connector tries again itself.", isReported: true };
  }
}

/** How many messages had each result. `partsOf` says for how many messages one of them stands. */
export function countResults(
  results: readonly MessageResult[],
  partsOf: (index: number) => number,
): Record<TraceResult, number> {
  const counts = { ...NO_RESULTS };
  for (const [index, { kind }] of results.entries()) counts[kind] += partsOf(index);
  return counts;
}

export const NO_RESULTS: Readonly<Record<TraceResult, number>> = {
  delivered: 0,
  deferred: 0,
  refused: 0,
  unavailable: 0,
  skipped: 0,
  retried: 0,
  unreported: 0,
};

/** Why a call did not deliver its messages, if its answer says so. */
export function reasonIn(outcome: CallOutcome): string | undefined {
  return outcome.kind === "delivered" ? undefined : outcome.reason;
}

const UNREPORTED = "The connector said nothing about this message.";

/** The result of a failed call, with what the service answered about the message. */
function withReport(ofCall: MessageResult, report: MessageReport | undefined): MessageResult {
  if (!report || report.result === "accepted" || report.result === "skipped") return ofCall;
  const reason = report.reason ?? (report.status === undefined ? ofCall.reason : answeredWith(report.status));
  return { ...ofCall, answer: answerIn(report) ?? ofCall.answer, reason, isReported: true };
}

function answerIn({ status, body }: MessageReport): FailedCall["answer"] {
  return status === undefined && body === undefined ? null : { status: status ?? 0, body: body ?? "" };
}

function refusedWith(status: number | undefined): string {
  return status === undefined ? "The service refused it." : `The service refused it with status ${status}.`;
}

function answeredWith(status: number): string {
  return `The service answered with status ${status}.`;
}
