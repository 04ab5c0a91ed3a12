/** The names of the events that Muster writes when a user or account enters or leaves a segment. */
export const SEGMENT_EVENTS = { entered: "Entered segment", left: "Left segment" } as const;

/** The property of `Entered segment` that is true for those who matched the segment when it was created. */
export const FIRST_MEMBER = "initial";
