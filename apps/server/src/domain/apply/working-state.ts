import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import type { Entry } from "../entries/entry.js";
import type { PastErasures } from "../erasure/past-erasures.js";
import type { NamedEvent } from "../events/event-plan.js";
import type { EventKey } from "../events/stored-event.js";
import type { Roster } from "../identity/roster.js";
import type { Profile } from "../profiles/profile.js";
import type { NameSender } from "./name-sender.js";
import type { NewNames } from "./new-names.js";
import type { OverwrittenEvent, TrackContext } from "./track-event.js";

/** The event that is stored under an event id of its sender. */
export interface KnownEvent extends EventKey, NamedEvent {
  /** The record time of the entry that the event was made from. */
  recordedAt: number;
  /** What was stored under the event id before the micro-batch. */
  stored?: OverwrittenEvent | undefined;
}

/**
 * The part of the stored state that a micro-batch reads and changes: loaded before its entries are applied, saved
 * after.
 */
export interface WorkingState extends TrackContext {
  accounts: Roster;
  userAttributes: AttributeDefinitions;
  accountAttributes: AttributeDefinitions;
  /** Stored events, by the event ids that entries of the micro-batch give. */
  knownEvents: Map<string, KnownEvent>;
  /** Erasures that entries of the micro-batch may be older than. */
  erasures: PastErasures;
  /** Merged subjects as they were just before, by id, if an entry undoes their merge. */
  mergedStates?: ReadonlyMap<string, Profile>;
  maxValueBytes: number;
  /** Which new attributes end users may still define. */
  newNames: NewNames;
  /** The organization joins visitors by hints. */
  joinsByHints: boolean;
  /** Whom new names of an end user's entry count for. */
  senderOf(entry: Entry): NameSender;
}
