import {
  MUSTER_SOURCE,
  NAMING_FIELDS,
  Refusal,
  SEGMENT_EVENTS,
  type SubjectType,
  subjectNames,
} from "@muster/protocol";
import type { SegmentMove, SegmentPast, SegmentVersion } from "@muster/protocol/api/segment-history";
import type { Segment as SegmentDetails } from "@muster/protocol/api/segments";
import { changedClauses, parse, parseSort, type Query } from "@muster/query";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import type { Database } from "../../storage/postgres/database.js";
import {
  findVersion,
  findVersionAt,
  listVersions,
  type SegmentVersion as StoredVersion,
} from "../../storage/postgres/segments/segment-versions.js";
import { findSegment } from "../../storage/postgres/segments/segments.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { readableQuery } from "../segments/readable-query.js";
import type { Segments } from "../segments/segments.js";
import { openDescriber } from "./describe-segment.js";
import type { Search } from "./search.js";

export interface SegmentHistoryOptions {
  database: Database;
  questions: Questions;
  search: Search;
  segments: Segments;
}

export interface WantedMoves {
  action?: "entered" | "left" | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface WantedPast {
  /** In milliseconds. */
  at: number;
  who: "before" | "entered" | "left";
  limit: number;
  after?: string | undefined;
}

/** What became of a segment: who entered and left it, and which definitions it has had. */
export class SegmentHistory {
  readonly #options: SegmentHistoryOptions;

  constructor(options: SegmentHistoryOptions) {
    this.#options = options;
  }

  /** Who entered and left a segment, the latest first; undefined when there is no such segment. */
  async moves(
    organizationId: string,
    segmentId: string,
    { action, limit, cursor }: WantedMoves,
  ): Promise<{ data: SegmentMove[]; next: string | null } | undefined> {
    const { database, questions } = this.#options;
    const segment = await findSegment(database, organizationId, segmentId);
    if (!segment) return undefined;
    const events = action ? [SEGMENT_EVENTS[action]] : Object.values(SEGMENT_EVENTS);
    const query = {
      bool: {
        filter: [
          { term: { source: MUSTER_SOURCE } },
          { terms: { event: events } },
          { term: { "properties.segment_id": segmentId } },
        ],
      },
    };
    const target = "event" as const;
    const selection = {
      target,
      query: parse(query, { target }),
      attributeTypes: await loadAttributeTypes(database, organizationId),
      now: new Date(),
    };
    const rows = await questions.page(organizationId, selection, {
      sort: parseSort({ created_at: "desc" }, { target }),
      limit,
      ...(cursor === undefined ? {} : { searchAfter: readCursor(cursor) }),
    });
    // The document of an event is the event as it was written.
    const found = rows.map(({ report }) => report as unknown as StoredEvent);
    const idOf = (event: StoredEvent) => (segment.subjectType === "user" ? event.user_id : (event.account_id ?? ""));
    const names = await this.#namesOf(organizationId, segment.subjectType, new Set(found.map(idOf)));
    const last = rows.at(-1);
    return {
      data: found.map((event) => ({
        action: event.event === SEGMENT_EVENTS.entered ? "entered" : "left",
        at: event.created_at,
        subject: { id: idOf(event), name: names.get(idOf(event)) ?? null },
      })),
      next: last && rows.length === limit ? writeCursor(last.cursor) : null,
    };
  }

  /** The members of a segment at a moment, and who differs from them now; undefined when there is no such segment. */
  async asOf(
    organizationId: string,
    segmentId: string,
    { at, who, limit, after }: WantedPast,
  ): Promise<SegmentPast | undefined> {
    const { database, questions } = this.#options;
    const segment = await findSegment(database, organizationId, segmentId);
    if (!segment) return undefined;
    const { subjectType } = segment;
    const context = { attributeTypes: await loadAttributeTypes(database, organizationId), now: new Date() };
    const then = { segmentId, subjectType, at };
    const [version, counts, found] = await Promise.all([
      findVersionAt(database, organizationId, segmentId, new Date(at)),
      questions.countMembersThen(organizationId, then, context),
      questions.membersThen(organizationId, { ...then, who }, { after, limit: limit + 1 }, context),
    ]);
    const ids = found.slice(0, limit);
    const names = await this.#namesOf(organizationId, subjectType, new Set(ids));
    return {
      at: new Date(at).toISOString(),
      version: version ?? null,
      ...counts,
      data: ids.map((id) => ({ id, name: names.get(id) ?? null })),
      next: found.length > limit ? ids.at(-1)! : null,
    };
  }

  /** One page of the definitions that a segment has had, the newest first; undefined when there is no such segment. */
  async versions(
    organizationId: string,
    segmentId: string,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ total: number; versions: SegmentVersion[] } | undefined> {
    const { database } = this.#options;
    const segment = await findSegment(database, organizationId, segmentId);
    if (!segment) return undefined;
    // One more than is shown: the last one is compared with the version before it.
    const [{ total, versions }, describe] = await Promise.all([
      listVersions(database, organizationId, segmentId, { limit: limit + 1, offset }),
      openDescriber(database, organizationId, segment.subjectType),
    ]);
    const shown = versions.slice(0, limit);
    return {
      total,
      versions: shown.map((version, index) =>
        versionRecord(version, versions[index + 1], segment.subjectType, describe),
      ),
    };
  }

  /**
   * Gives a segment the query of an earlier version. It keeps its name, because the earlier one may belong to another
   * segment now. Undefined when there is no such segment or version.
   */
  async restore(
    organizationId: string,
    segmentId: string,
    number: number,
    who: string,
  ): Promise<SegmentDetails | undefined> {
    const version = await findVersion(this.#options.database, organizationId, segmentId, number);
    if (!version) return undefined;
    const { query, predicate } = version;
    return this.#options.segments.update(organizationId, segmentId, { query, predicate }, { who, restored: number });
  }

  async #namesOf(
    organizationId: string,
    subjectType: SubjectType,
    ids: ReadonlySet<string>,
  ): Promise<Map<string, string>> {
    if (ids.size === 0) return new Map();
    const { data } = await this.#options.search.search(organizationId, subjectType, {
      query: { terms: { id: [...ids] } },
      sort: {},
      page: 1,
      perPage: ids.size,
      include: ["id", ...NAMING_FIELDS],
      countsLast: true,
    });
    return new Map(
      data.flatMap((report) => {
        const [name] = subjectNames(report);
        return name === undefined ? [] : [[report.id, name] as const];
      }),
    );
  }
}

function versionRecord(
  version: StoredVersion,
  before: StoredVersion | undefined,
  target: SubjectType,
  describe: (query: Query) => string,
): SegmentVersion {
  const { savedAt, ...rest } = version;
  const tree = readableQuery(version.query, target);
  const old = before && readableQuery(before.query, target);
  const { added, removed } = tree && old ? changedClauses(old, tree) : { added: [], removed: [] };
  return {
    ...rest,
    sentence: tree ? describe(tree) : "",
    changes: {
      renamed_from: before && before.name !== version.name ? before.name : null,
      added: added.map(describe),
      removed: removed.map(describe),
    },
    saved_at: savedAt.toISOString(),
  };
}

function writeCursor(cursor: unknown): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** The question engine checks what is in a cursor. */
function readCursor(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString()) as unknown;
  } catch (error) {
    throw new Refusal("invalid_parameter", "`cursor` must be the `next` of an earlier page.", { cause: error });
  }
}
