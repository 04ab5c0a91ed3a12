import { FIRST_MEMBER, SEGMENT_EVENTS } from "@muster/protocol";
import { ownEvent } from "../events/own-event.js";
import type { StoredEvent } from "../events/stored-event.js";
import type { Evaluation } from "./change-set.js";

/** The events `Entered segment` and `Left segment` of an evaluation, one for each subject that moved. */
export function evaluationEvents({ at, moves }: Evaluation, sequence: number): StoredEvent[] {
  const time = Date.parse(at);
  return moves.flatMap(({ segmentId, segmentName, subjectType, entered, left, gone, isFirst }) => {
    const properties = {
      segment_id: segmentId,
      segment_name: segmentName,
      ...(isFirst ? { [FIRST_MEMBER]: true } : {}),
    };
    const eventOf = (event: string) => (id: string) =>
      ownEvent({
        event,
        subjectType,
        subjectId: id,
        about: `${segmentId} ${id}`,
        sequence,
        at: time,
        properties,
      });
    const lost = new Set(gone);
    return [
      ...entered.map(eventOf(SEGMENT_EVENTS.entered)),
      ...left.filter((id) => !lost.has(id)).map(eventOf(SEGMENT_EVENTS.left)),
    ];
  });
}
