import type { StoredEvent } from "../../domain/changes/change-set.js";
import type { Span } from "../../domain/delivery/intervals.js";
import type { EntityStats } from "../../domain/entities/entity-record.js";

export interface EventCount {
  event: string;
  count: number;
  /** Whether the platform itself has made some of them. */
  emitted: boolean;
  firstAt: string;
  lastAt: string;
}

/** Single events, and counts of them. */
export interface EventFigures {
  findEvent(organizationId: string, id: string): Promise<StoredEvent | undefined>;
  /** How often each event was recorded for a user; what the platform itself notes does not count. */
  countEvents(organizationId: string, userId: string): Promise<Record<string, number>>;
  /** How often each event was recorded in an organization. */
  countEventsByName(organizationId: string): Promise<EventCount[]>;
  /** How often events were recorded in each interval, by its start in milliseconds: those named, or the most frequent ones. */
  countEventsPerInterval(
    organizationId: string,
    span: Span,
    which: { names?: readonly string[] | undefined; top: number },
  ): Promise<{ event: string; start: number; count: number }[]>;
  /**
   * How many more entered a segment than left it, in each interval since `from`. Somebody who enters twice in a row is
   * two who have been merged since, and counts once.
   */
  sumMovesPerInterval(
    organizationId: string,
    segmentId: string,
    span: Pick<Span, "from" | "interval">,
  ): Promise<{ start: number; change: number }[]>;
  /** What users did to entities, by the id of the entity; the last word of a user decides whether it is liked. */
  countEntityActions(organizationId: string, entityIds: readonly string[]): Promise<Map<string, EntityStats>>;
  /** How many entities a user likes now. */
  countLiked(organizationId: string, userId: string): Promise<number>;
}
