// The type of users in their ids, and what stands in its place in the origins of undecided events. No object has that type.
const USER = "10";
const UNDECIDED = "1f";

/**
 * Marks the origin of an event that may be of the user with this id or of one who was merged into that user. The event itself
 * has no mark, because whether two are merged already depends on the order of arrival, which must not change events.
 */
export function undecidedOrigin(id: string): string {
  return id.slice(0, 12) + UNDECIDED + id.slice(14);
}

/** The id of the user that an event came from, or of the one that it stays with while nobody has decided. */
export function decidedOrigin(origin: string): string {
  return origin.slice(12, 14) === UNDECIDED ? origin.slice(0, 12) + USER + origin.slice(14) : origin;
}
