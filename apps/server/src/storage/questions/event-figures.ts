import type { Span } from "../../domain/charts/intervals.js";
import type { EntityStats } from "../../domain/entities/entity-record.js";
import type { StoredEvent } from "../../domain/events/stored-event.js";

export interface EventCount {
  event: string;
  count: number;
  /** Whether Muster itself has added some of them. */
  emitted: boolean;
  firstAt: string;
  lastAt: string;
}

/** Figures of the events of one user. */
export interface UserActions {
  /** How often each event was recorded. */
  counts: Record<string, number>;
  /** How many events were recorded with each anonymous id. */
  byAnonymousId: Map<string, number>;
  /** How many entities the user likes now. */
  liked: number;
}

/** How many subjects entered and left a segment in an interval. */
export interface SegmentMoves {
  segmentId: string;
  /** The start of the interval in milliseconds. */
  start: number;
  entered: number;
  left: number;
}

/** How often an event was recorded lately and at all. */
export interface EventVolume extends EventCount {
  lastDay: number;
  last7Days: number;
  last30Days: number;
  /** Who recorded it; `platform` is Muster itself, and an event without a source has none here. */
  sources: string[];
}

/** Which event names are wanted, and in which order. */
export interface VolumeRequest {
  /** Part of the name, in any case. */
  text?: string;
  /** Names that are left out. */
  without: readonly string[];
  order: "volume" | "name" | "last";
  limit: number;
  offset: number;
  /** The time that `lastDay` and so on end at. */
  now: Date;
}

/** Single events, and counts of them. */
export interface EventFigures {
  findEvent(organizationId: string, id: string): Promise<StoredEvent | undefined>;
  /** What a user did, without the events that Muster itself adds. `proved`: also without those that are marked as unproved. */
  actionsOf(organizationId: string, userId: string, which?: "proved"): Promise<UserActions>;
  /** How often each of the named events was recorded in an organization. Those that never were are left out. */
  countEventsByName(organizationId: string, names: readonly string[]): Promise<EventCount[]>;
  /** A page of the event names of an organization with their volume. `volume` is the order by the last 30 days. */
  measureEvents(organizationId: string, request: VolumeRequest): Promise<{ total: number; volumes: EventVolume[] }>;
  /**
   * How often the named events, or else the `top` most frequent ones, were recorded in each interval. `start` is the start
   * of the interval in milliseconds.
   */
  countEventsPerInterval(
    organizationId: string,
    span: Span,
    which: { names?: readonly string[] | undefined; top: number },
  ): Promise<{ event: string; start: number; count: number }[]>;
  /**
   * How many subjects entered and left segments in each interval since `from`: the named segments, or all that had moves.
   * A subject that enters twice in a row counts once: it is the survivor of a merge, and has the events of both. Those who
   * matched a segment when it was created have not entered it.
   */
  countMovesPerInterval(
    organizationId: string,
    span: Pick<Span, "from" | "interval">,
    segmentIds?: readonly string[],
  ): Promise<SegmentMoves[]>;
  /** How often users acted on entities, by the id of the entity. A user likes it if the last of `like` and `unlike` is `like`. */
  countEntityActions(organizationId: string, entityIds: readonly string[]): Promise<Map<string, EntityStats>>;
}
