import type { AttentionItem, Health, Lag } from "@muster/protocol/api/overview";

/** A record is searchable within a second or two. A longer lag is mentioned. */
const LATE_MS = 5_000;

/** Sums up how an organization does: the worst thing decides. */
export function healthOf(
  { behind_ms, waiting_records }: Pick<Lag, "behind_ms" | "waiting_records">,
  attention: readonly AttentionItem[],
): Health {
  const figures = { behind_ms, waiting_records };
  // A stage that fails concerns everything, so it is told before a connector or a segment.
  const errors = attention.filter(({ severity }) => severity === "error");
  const broken = errors.find(({ kind }) => kind === "stage") ?? errors[0];
  if (broken) return { state: "broken", message: broken.message, ...figures };
  const filling = attention.find(({ kind }) => kind === "engine");
  if (filling) return { state: "late", message: filling.message, ...figures };
  if (behind_ms > LATE_MS) {
    return { state: "late", message: `Records become searchable ${secondsText(behind_ms)} late.`, ...figures };
  }
  if (waiting_records > 1_000) {
    const message = `Fresh. ${waiting_records.toLocaleString("en")} records wait to be applied.`;
    return { state: "ok", message, ...figures };
  }
  const message =
    behind_ms === 0 ? "Healthy. Everything that arrived is searchable." : "Healthy. Records are on their way.";
  return { state: "ok", message, ...figures };
}

function secondsText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
