/** A property of events that the engine has, or will have, in columns of their own. */
export interface EventColumn {
  organizationId: string;
  /** As questions name it: `properties.plan`. */
  key: string;
  kinds: readonly ("text" | "number" | "boolean")[];
  /** `wanted`: questions have asked for it; `filling`: new events have it; `complete`: questions read the columns. */
  state: "wanted" | "filling" | "complete";
  /** The share of the events that have it in columns. */
  filled: number;
  /** For how many days in a row no question has used it. */
  unusedDays: number;
}

/** How far the engine has noted when each user and account of an organization had events. */
export interface EventTimesProgress {
  organizationId: string;
  /** How many rows of older events are not read yet. */
  unread: number;
  /** In how many tables the entries are, and how many there are. */
  runs: number;
  entries: number;
  /** Whether nothing is left to do until more events come. */
  isSettled: boolean;
}

/** What the engine does by itself to answer faster. */
export interface Arranging {
  /** The properties with columns of the organizations whose data is open. Empty for an engine that stores every property so. */
  eventColumns(): Promise<EventColumn[]>;
  /** The times of the organizations whose data is open. Empty for an engine that finds the events of a user by itself. */
  eventTimes(): Promise<EventTimesProgress[]>;
}
