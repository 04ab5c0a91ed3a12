import type { SubjectType } from "@muster/protocol";
import type { SegmentImpact } from "@muster/protocol/api/segments";
import { formatCount, formatNumber, formatShare } from "../ui/text/format.js";

/** Above this part of all, and above so many messages to one connector, saving asks a second time. */
export const LARGE_SHARE = 0.1;
export const MANY_MESSAGES = 1_000;

/** Whether saving does so much that a second yes is needed. */
export function needsSecondYes({ share, connectors }: SegmentImpact): boolean {
  return share > LARGE_SHARE || connectors.some(({ messages }) => messages > MANY_MESSAGES);
}

/** @example "12 users enter and 3 leave (0.1% of all). Mailer gets 15 messages." */
export function impactSentence(impact: SegmentImpact, subjectType: SubjectType): string {
  return `${movesSentence(impact, subjectType)} ${messagesSentence(impact)}`;
}

export function movesSentence({ entering, leaving, share }: SegmentImpact, subjectType: SubjectType): string {
  if (entering === 0 && leaving === 0) return "Nobody enters or leaves.";
  const moves = [
    ...(entering > 0 ? [`${formatCount(entering, subjectType)} ${entering === 1 ? "enters" : "enter"}`] : []),
    ...(leaving > 0
      ? [
          `${entering > 0 ? formatNumber(leaving) : formatCount(leaving, subjectType)} ${leaving === 1 ? "leaves" : "leave"}`,
        ]
      : []),
  ];
  return `${moves.join(" and ")} (${formatShare(share)} of all).`;
}

export function messagesSentence({ connectors }: SegmentImpact): string {
  if (connectors.length === 0) return "No connector gets messages.";
  const parts = connectors.map(({ name, messages }) => `${name} gets ${formatCount(messages, "message")}`);
  return `${parts.join(", ")}.`;
}
