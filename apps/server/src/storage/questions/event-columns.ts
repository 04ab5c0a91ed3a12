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

/** What the engine does by itself to answer faster. */
export interface Arranging {
  /** The properties with columns of the organizations whose data is open. Empty for an engine that stores every property so. */
  eventColumns(): Promise<EventColumn[]>;
}
