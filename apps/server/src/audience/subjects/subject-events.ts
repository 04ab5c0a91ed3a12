import { MUSTER_SOURCE, SEGMENT_EVENTS, type SubjectType, USER_MERGED, USER_UNMERGED } from "@muster/protocol";
import { parse, parseSort } from "@muster/query";
import { ATTRIBUTES_CHANGED, OLDER_ATTRIBUTES_CHANGED } from "../../domain/events/own-event.js";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Window, WindowCursor } from "../../storage/postgres/read-window.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";

/** What an event in the question engine is on a timeline. Muster itself writes those that are no `event`. */
export type EventKind = "event" | "change" | "segment" | "merge" | "unmerge";

const OWN_EVENTS: Record<Exclude<EventKind, "event">, readonly string[]> = {
  change: [ATTRIBUTES_CHANGED, OLDER_ATTRIBUTES_CHANGED],
  segment: Object.values(SEGMENT_EVENTS),
  merge: [USER_MERGED.event],
  unmerge: [USER_UNMERGED.event],
};

export interface WantedEvents extends Window {
  kinds: readonly EventKind[];
  /** Only events of this name. */
  name?: string | undefined;
  /** Only events up to this time, in milliseconds. */
  until?: number | undefined;
}

/** A row of a timeline and its place there. */
export interface Placed<Item> {
  item: Item;
  cursor: WindowCursor;
}

/** The kind of a stored event. */
export function kindOf({ event, event_source }: StoredEvent): EventKind {
  if (event_source !== MUSTER_SOURCE) return "event";
  const kinds = Object.entries(OWN_EVENTS) as [Exclude<EventKind, "event">, readonly string[]][];
  return kinds.find(([, names]) => names.includes(event))?.[0] ?? "event";
}

/**
 * The events of a user, or those of an account and its users, the latest first. `ids` are the id of the subject and those
 * of the subjects that were merged into it.
 */
export async function readSubjectEvents(
  { database, questions }: { database: Database; questions: Questions },
  organizationId: string,
  subjectType: SubjectType,
  ids: readonly string[],
  { kinds, name, limit, cursor, after, until }: WantedEvents,
): Promise<Placed<StoredEvent>[]> {
  if (kinds.length === 0) return [];
  const query = {
    bool: {
      filter: [
        { terms: { [`${subjectType}_id`]: ids } },
        { bool: { should: kinds.map(isOfKind), minimum_should_match: 1 } },
        ...(name === undefined ? [] : [{ term: { event: name } }]),
        ...(after === undefined ? [] : [{ range: { created_at: { gt: new Date(after).toISOString() } } }]),
        ...(until === undefined ? [] : [{ range: { created_at: { lte: new Date(until).toISOString() } } }]),
      ],
    },
  };
  const selection = {
    target: "event" as const,
    query: parse(query, { target: "event" }),
    attributeTypes: await loadAttributeTypes(database, organizationId),
    now: new Date(),
  };
  const sort = parseSort({ created_at: "desc" }, { target: "event" });
  const rows = await questions.page(organizationId, selection, {
    sort,
    limit,
    ...(cursor === undefined ? {} : { searchAfter: cursor }),
  });
  return rows.map(({ report, id }) => {
    // The document of an event is the event as it was written.
    const item = report as unknown as StoredEvent;
    return { item, cursor: [Date.parse(item.created_at), id] };
  });
}

function isOfKind(kind: EventKind): object {
  const own = { term: { source: MUSTER_SOURCE } };
  if (kind !== "event") return { bool: { filter: [own, { terms: { event: OWN_EVENTS[kind] } }] } };
  return { bool: { must_not: [{ bool: { filter: [own, { terms: { event: Object.values(OWN_EVENTS).flat() } }] } }] } };
}
