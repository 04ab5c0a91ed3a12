/** The source and type of events that Muster itself adds to timelines. */
export const MUSTER_SOURCE = "platform";
