/** The names of the events that Muster writes when a user or account enters or leaves a segment. */
export const SEGMENT_EVENTS = { entered: "Entered segment", left: "Left segment" } as const;
