import { type Status, StatusDot } from "../../../ui/text/status-dot.js";

const OUTCOMES: Record<string, { status: Status; word: string }> = {
  accepted: { status: "good", word: "Accepted" },
  duplicate: { status: "unknown", word: "Duplicate" },
  refused: { status: "bad", word: "Refused" },
  rejected: { status: "late", word: "Rejected" },
};

/** What became of an entry, as a colour and a word. */
export function OutcomeMark({ outcome }: { outcome: string }) {
  const { status, word } = OUTCOMES[outcome] ?? { status: "unknown" as const, word: outcome };
  return <StatusDot status={status}>{word}</StatusDot>;
}
