import { Refusal } from "@muster/protocol";
import { TIMELINE_KINDS, type TimelineItem } from "@muster/protocol/api/history";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import { changesIn } from "../../domain/profiles/attribute-history.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Database } from "../../storage/postgres/database.js";
import { readTraces } from "../../storage/postgres/delivery/traces.js";
import { readComments } from "../../storage/postgres/objects/comments.js";
import { readMerges } from "../../storage/postgres/profiles/merge-rows.js";
import { readFormerIds } from "../../storage/postgres/profiles/profiles.js";
import type { Window, WindowCursor, WindowRow } from "../../storage/postgres/read-window.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributes } from "../attributes/attribute-definitions.js";
import type { FindWriter } from "./find-writer.js";
import { nameWriters } from "./name-writers.js";
import { type EventKind, kindOf, readSubjectEvents } from "./subject-events.js";
import { commentItem, deliveryItem, eventItem, mergeItem, type TimelineKind } from "./timeline-items.js";

export interface TimelineOptions extends FindWriter {
  database: Database;
  questions: Questions;
  maxAttributes: number;
}

export interface TimelineRequest {
  limit: number;
  /** Default: all. */
  kinds?: readonly TimelineKind[] | undefined;
  /** Only events of this name. */
  name?: string | undefined;
  /** Only deliveries to this connector. Default: to all. */
  connectorId?: string | undefined;
  /** Where the page before has ended. */
  cursor?: string | undefined;
  /** Only what is later than this time, in milliseconds. */
  after?: number | undefined;
}

export interface TimelinePage {
  items: TimelineItem[];
  /** Continues with older items; null when there are none. */
  next: string | null;
}

/** The lists that a timeline is made of. Each has its own place in the cursor, so that pages neither repeat nor skip. */
const SOURCES = ["events", "deliveries", "merges", "comments"] as const;
type Source = (typeof SOURCES)[number];
type Cursor = Partial<Record<Source, WindowCursor>>;

interface Candidate {
  source: Source;
  cursor: WindowCursor;
  item: TimelineItem;
}

// A user is merged a few times. The causes of more merges than this are not shown.
const MAX_CAUSES = 200;

/** Everything that happened to a user or account, the latest first. */
export class Timeline {
  readonly #options: TimelineOptions;

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  async read(organizationId: string, profile: Profile, request: TimelineRequest): Promise<TimelinePage> {
    const { limit, after } = request;
    const cursor = request.cursor === undefined ? {} : readCursor(request.cursor);
    const former = await readFormerIds(this.#options.database, organizationId, [profile.id]);
    const ids = [profile.id, ...(former.get(profile.id) ?? [])];
    const windowOf = (source: Source): Window => ({ limit, after, cursor: cursor[source] });
    const lists = await this.#readAll(organizationId, profile, ids, request, windowOf);
    const candidates = lists.flat().sort(inOrder);
    const taken = candidates.slice(0, limit);
    const isEnd = taken.length === candidates.length && lists.every((list) => list.length < limit);
    const reached = Object.fromEntries(taken.map(({ source, cursor: place }) => [source, place]));
    return {
      items: taken.map(({ item }) => item).filter((item) => item.kind !== "change" || item.changes.length > 0),
      next: isEnd ? null : writeCursor({ ...cursor, ...reached }),
    };
  }

  async #readAll(
    organizationId: string,
    profile: Profile,
    ids: readonly string[],
    { kinds, name, connectorId }: TimelineRequest,
    windowOf: (source: Source) => Window,
  ): Promise<Candidate[][]> {
    const { database, maxAttributes } = this.#options;
    const { subjectType } = profile;
    // With the name of an event, there is nothing else to find.
    const wanted = new Set(name === undefined ? (kinds ?? TIMELINE_KINDS) : ["event" as const]);
    const has = (kind: TimelineKind) => wanted.has(kind);
    // No event says that accounts were merged, so their merges are read from the table.
    const eventKinds = (["event", "change", "segment", "merge", "unmerge"] satisfies EventKind[]).filter(
      (kind) => has(kind) && ((kind !== "merge" && kind !== "unmerge") || subjectType === "user"),
    );
    const [events, traces, comments, merges, definitions] = await Promise.all([
      readSubjectEvents(this.#options, organizationId, subjectType, ids, {
        ...windowOf("events"),
        kinds: eventKinds,
        name,
      }),
      has("delivery") ? readTraces(database, organizationId, ids, connectorId, windowOf("deliveries")) : [],
      has("comment") ? readComments(database, organizationId, ids, windowOf("comments")) : [],
      has("merge") && subjectType === "account"
        ? readMerges(database, organizationId, profile.id, windowOf("merges"))
        : [],
      loadAttributes(database, organizationId, subjectType, maxAttributes),
    ]);
    const hasMerges = events.some(({ item }) => kindOf(item) === "merge");
    const causes = hasMerges ? await readMerges(database, organizationId, profile.id, { limit: MAX_CAUSES }) : merges;
    const writerOf = await nameWriters(this.#options, organizationId, [
      ...events.flatMap(({ item }) => sourcesIn(item)),
      ...traces.map(({ connectorId }) => connectorId),
      ...causes.map(({ cause }) => cause?.source),
    ]);
    const causeOf = (mergedId: string) => causes.find(({ loserId }) => loserId === mergedId)?.cause ?? null;
    const isHidden = (attribute: string) => definitions.get(attribute)?.visible === false;
    return [
      events.map(({ item, cursor }) => ({
        source: "events",
        cursor,
        item: eventItem(item, writerOf, causeOf, isHidden),
      })),
      traces.map((row) => ({ source: "deliveries", cursor: placeOf(row), item: deliveryItem(row, writerOf) })),
      comments.map((row) => ({ source: "comments", cursor: placeOf(row), item: commentItem(row) })),
      merges.map((row) => ({ source: "merges", cursor: placeOf(row), item: mergeItem(row, writerOf) })),
    ];
  }
}

function placeOf({ row_at, row_id }: WindowRow<object>): WindowCursor {
  return [row_at, row_id];
}

function sourcesIn(event: StoredEvent): (string | undefined)[] {
  return kindOf(event) === "change" ? [...changesIn(event).values()].map(({ source }) => source) : [];
}

/** The latest first. Of the same millisecond, the lists keep their own order. */
function inOrder(one: Candidate, other: Candidate): number {
  return other.cursor[0] - one.cursor[0] || SOURCES.indexOf(one.source) - SOURCES.indexOf(other.source);
}

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

function readCursor(text: string): Cursor {
  try {
    const given = JSON.parse(Buffer.from(text, "base64url").toString()) as Record<string, unknown>;
    const places = SOURCES.flatMap((source) => {
      const place = given[source];
      return place === undefined ? [] : [[source, requirePlace(place)] as const];
    });
    return Object.fromEntries(places);
  } catch (error) {
    throw new Refusal("invalid_parameter", "`cursor` must be the `next` of an earlier page.", { cause: error });
  }
}

function requirePlace(place: unknown): WindowCursor {
  if (Array.isArray(place) && place.length === 2) {
    const [at, id] = place as unknown[];
    if (Number.isSafeInteger(at) && typeof id === "string") return [at as number, id];
  }
  throw new TypeError("This is no place in a list.");
}
