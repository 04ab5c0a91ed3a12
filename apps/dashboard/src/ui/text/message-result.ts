import type { Trace } from "@muster/protocol/api/deliveries";
import type { Status } from "./status-dot.js";

/** What is known of the result of a message. */
export type ResultFacts = Pick<Trace, "result" | "reported" | "status" | "reason" | "body">;

export interface ShownResult {
  status: Status;
  word: string;
  /** Why, in the service's own words where they are known; empty when there is nothing to say. */
  detail: string;
}

const WORDS: Record<Trace["result"], { status: Status; word: string }> = {
  delivered: { status: "good", word: "Accepted" },
  deferred: { status: "late", word: "Asked to wait" },
  refused: { status: "bad", word: "Refused" },
  unavailable: { status: "bad", word: "Not reached" },
  skipped: { status: "unknown", word: "Skipped" },
  retried: { status: "late", word: "The connector tries again" },
  unreported: { status: "late", word: "Not reported" },
};

const LONGEST_DETAIL = 200;

/** What became of a message, in words. */
export function showResult(facts: ResultFacts): ShownResult {
  const { result, reported } = facts;
  const known = WORDS[result] ?? { status: "unknown", word: result };
  const word = result === "refused" && reported ? "Refused by the service" : known.word;
  return { status: known.status, word, detail: detailOf(facts) };
}

/** Whether the message failed. A message that was skipped did not. */
export function isFailed({ result }: Pick<ResultFacts, "result">): boolean {
  return result === "refused" || result === "unavailable" || result === "deferred";
}

function detailOf({ reported, status, body, reason }: ResultFacts): string {
  if (!reported || body === "") return reason;
  const text = `${status === 0 ? "" : `${status} `}${body.replace(/\s+/g, " ")}`;
  return text.length > LONGEST_DETAIL ? `${text.slice(0, LONGEST_DETAIL)}…` : text;
}
