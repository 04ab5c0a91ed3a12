import type { SegmentChanges } from "./notification.js";

/**
 * The names by which a setting with events may list that a subject entered or left a segment. They keep the word of the
 * service that they come from, whatever the brand is: stored settings contain them.
 */
export const STANDARD_EVENTS = { entered: "HULL_ENTER_SEGMENT", left: "HULL_LEAVE_SEGMENT" } as const;

export type StandardEvent = (typeof STANDARD_EVENTS)[keyof SegmentChanges];

/**
 * The standard events that the changes of a subject's segments stand for. A message has them in its changes, not in its
 * events.
 *
 * @example standardEvents({ entered: ["0198c2a4f1d020a1b2c3d4e5"], left: [] }) // ["HULL_ENTER_SEGMENT"]
 */
export function standardEvents(changes: Readonly<Record<keyof SegmentChanges, readonly unknown[]>>): StandardEvent[] {
  const moves = ["entered", "left"] as const;
  return moves.filter((move) => changes[move].length > 0).map((move) => STANDARD_EVENTS[move]);
}
