import {
  type AccountUpdateMessage,
  type StandardEvent,
  standardEvents,
  type UserUpdateMessage,
} from "@muster/protocol";

/**
 * The standard events of a message, by the names that `options.standard` offers for a setting with events:
 * `HULL_ENTER_SEGMENT` when the subject of the message entered a segment, `HULL_LEAVE_SEGMENT` when it left one.
 *
 * @example
 * const names = [...message.events.map(({ event }) => event), ...standardEventsOf(message)];
 * if (names.some((name) => chosenEvents.includes(name))) await send(message);
 */
export function standardEventsOf({ changes }: UserUpdateMessage | AccountUpdateMessage): StandardEvent[] {
  return standardEvents("segments" in changes ? changes.segments : changes.account_segments);
}
