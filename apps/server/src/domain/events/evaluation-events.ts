import type { Evaluation, StoredEvent } from "../changes/change-set.js";
import { platformEvent } from "./platform-event.js";

const ENTERED = "Entered segment";
const LEFT = "Left segment";

/** The names of the events that evaluation makes. */
export const SEGMENT_EVENTS: readonly string[] = [ENTERED, LEFT];

/** `Entered segment` and `Left segment`, for the timelines of those who did. */
export function evaluationEvents({ at, moves }: Evaluation, sequence: number): StoredEvent[] {
  const time = Date.parse(at);
  return moves.flatMap(({ segmentId, segmentName, subjectType, entered, left, gone }) => {
    const properties = { segment_id: segmentId, segment_name: segmentName };
    const eventOf = (event: string) => (id: string) =>
      platformEvent({
        event,
        subject: subjectType,
        subjectId: id,
        about: `${segmentId} ${id}`,
        sequence,
        at: time,
        properties,
      });
    const lost = new Set(gone);
    return [...entered.map(eventOf(ENTERED)), ...left.filter((id) => !lost.has(id)).map(eventOf(LEFT))];
  });
}
