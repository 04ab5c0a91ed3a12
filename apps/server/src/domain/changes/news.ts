import { MUSTER_SOURCE, SEGMENT_EVENTS, type SubjectType } from "@muster/protocol";
import { sameValue } from "../attributes/attribute-values.js";
import { ATTRIBUTES_CHANGED, OLDER_ATTRIBUTES_CHANGED } from "../events/own-event.js";
import type { StoredEvent } from "../events/stored-event.js";
import type { AttributeChanges, ChangeSet, ProfileChange, SegmentMoves } from "./change-set.js";

/** Everything that the next messages to connectors say about one user or account. */
export interface SubjectNews {
  id: string;
  isNew: boolean;
  changes: AttributeChanges;
  /** Changes of the identifiers that are no attributes, by their key in the report. */
  identifiers: AttributeChanges;
  events: StoredEvent[];
  entered: string[];
  left: string[];
}

export interface News {
  user: Map<string, SubjectNews>;
  account: Map<string, SubjectNews>;
  /** Erased users and accounts. */
  deleted: { kind: SubjectType; id: string }[];
}

// Events of Muster that connectors get as attribute changes and segment moves, not as events.
const TOLD_AS_CHANGES = new Set<string>([
  ATTRIBUTES_CHANGED,
  OLDER_ATTRIBUTES_CHANGED,
  SEGMENT_EVENTS.entered,
  SEGMENT_EVENTS.left,
]);

/** Combines consecutive changes: several changes of one subject become one, from the first value to the last. */
export function gatherNews(changes: readonly ChangeSet[], moves: readonly SegmentMoves[]): News {
  const news: News = { user: new Map(), account: new Map(), deleted: [] };
  const survivors = survivorsOf(changes);
  for (const change of changes.filter(({ quiet }) => !quiet)) {
    for (const kind of ["user", "account"] as const) {
      for (const changed of change[`${kind}s`]) addChange(news[kind], survivors, changed);
    }
    for (const event of change.events) {
      if (event.event_source === MUSTER_SOURCE && TOLD_AS_CHANGES.has(event.event)) continue;
      if (event.user_id) newsOf(news.user, survivors.get(event.user_id) ?? event.user_id).events.push(event);
    }
  }
  const withOnlyQuietChanges = subjectsWithOnlyQuietChanges(changes);
  const addMoves = (kind: SubjectType, ids: readonly string[], segmentId: string, direction: Direction) => {
    for (const id of ids) {
      if (!withOnlyQuietChanges.has(id)) addMove(newsOf(news[kind], survivors.get(id) ?? id), segmentId, direction);
    }
  };
  for (const { subjectType, segmentId, entered, left } of moves) {
    addMoves(subjectType, entered, segmentId, "entered");
    addMoves(subjectType, left, segmentId, "left");
  }
  for (const { removed } of changes) {
    for (const { kind, id } of removed) {
      news[kind].delete(id);
      news.deleted.push({ kind, id });
    }
  }
  return news;
}

/** Whether there is anything to tell. There is nothing when every value was changed back to what it was. */
export function isNews({ isNew, changes, identifiers, events, entered, left }: SubjectNews): boolean {
  if (isNew || events.length > 0 || entered.length > 0 || left.length > 0) return true;
  return Object.keys(changes).length > 0 || Object.keys(identifiers).length > 0;
}

function addChange(
  all: Map<string, SubjectNews>,
  survivors: ReadonlyMap<string, string>,
  changed: ProfileChange,
): void {
  // The survivor's own changes include what it took over from the subject that was merged into it.
  if (survivors.has(changed.id)) return;
  const news = newsOf(all, changed.id);
  news.isNew ||= changed.isNew;
  addChanges(news.changes, changed.changes);
  addChanges(news.identifiers, changed.identifiers ?? {});
}

/** Adds later changes to earlier ones: from the first value to the last. A value that is what it was has not changed. */
export function addChanges(known: AttributeChanges, later: AttributeChanges): void {
  for (const [key, [from, to]] of Object.entries(later)) {
    const before = known[key] ? known[key][0] : from;
    if (sameValue(before, to)) delete known[key];
    else known[key] = [before, to];
  }
}

type Direction = "entered" | "left";

/** A subject that entered a segment and left it again, or the other way round, is where it was. */
export function addMove(news: Pick<SubjectNews, "entered" | "left">, segmentId: string, direction: Direction): void {
  const opposite = news[direction === "entered" ? "left" : "entered"];
  const place = opposite.indexOf(segmentId);
  if (place === -1) news[direction].push(segmentId);
  else opposite.splice(place, 1);
}

function newsOf(known: Map<string, SubjectNews>, id: string): SubjectNews {
  const present = known.get(id);
  if (present) return present;
  const added: SubjectNews = { id, isNew: false, changes: {}, identifiers: {}, events: [], entered: [], left: [] };
  known.set(id, added);
  return added;
}

/** By the id of each subject that was merged into another: the id of the last survivor. */
function survivorsOf(changes: readonly ChangeSet[]): Map<string, string> {
  const survivors = new Map<string, string>();
  for (const { merges, unmerges = [] } of changes) {
    for (const { restored } of unmerges) survivors.delete(restored);
    for (const { loser, survivor } of merges) {
      for (const [earlier, into] of survivors) if (into === loser) survivors.set(earlier, survivor);
      survivors.set(loser, survivor);
    }
  }
  return survivors;
}

/** Connectors get no message about the segments of these subjects either. */
function subjectsWithOnlyQuietChanges(changes: readonly ChangeSet[]): Set<string> {
  const idsOf = ({ users, accounts }: ChangeSet) => [...users, ...accounts].map(({ id }) => id);
  const ids = new Set(changes.filter(({ quiet }) => quiet).flatMap(idsOf));
  for (const id of changes.filter(({ quiet }) => !quiet).flatMap(idsOf)) ids.delete(id);
  return ids;
}
