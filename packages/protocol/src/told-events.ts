/** The event that Muster writes when one user was merged into another. */
export const USER_MERGED = { event: "User merged", type: "user_merged" } as const;
/** Both users get it when a merge is undone. */
export const USER_UNMERGED = { event: "User unmerged", type: "user_unmerged" } as const;

/**
 * The event in a message about a user that entered or left segments. It is in messages to connectors only: timelines have
 * an event for each segment.
 */
export const SEGMENTS_CHANGED = { event: "Segments changed", type: "segments_changed" } as const;
