import { isDeepStrictEqual } from "node:util";
import type { SubjectType } from "@muster/protocol";
import type { Segment as SegmentDetails } from "@muster/protocol/api/segments";
import { type Explanation, parse } from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import type { Revisions } from "../../storage/postgres/definitions/revisions.js";
import {
  createSegment,
  findSegment,
  listSegments,
  removeSegment,
  type Segment,
  updateSegment,
} from "../../storage/postgres/segments/segments.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { defineSegment, type GivenDefinition } from "./define-segment.js";
import { loadSegments } from "./known-segments.js";
import { type JoinedSegment, segmentDetails } from "./segment-record.js";

export interface SegmentsOptions {
  database: Database;
  questions: Questions;
  /** Called after a segment was created, edited or deleted: its members must be found again, and connectors notified. */
  onChange(organizationId: string, segment: Segment, action: "update" | "delete"): Promise<void>;
}

/** Saved queries: their definitions and their members. */
export class Segments {
  readonly #options: SegmentsOptions;

  constructor(options: SegmentsOptions) {
    this.#options = options;
  }

  async create(organizationId: string, subjectType: SubjectType, given: GivenDefinition): Promise<SegmentDetails> {
    const definition = defineSegment(subjectType, given);
    const segment = await createSegment(this.#options.database, organizationId, subjectType, definition);
    await this.#options.onChange(organizationId, segment, "update");
    return segmentDetails(segment, 0);
  }

  async update(
    organizationId: string,
    id: string,
    given: Partial<GivenDefinition>,
  ): Promise<SegmentDetails | undefined> {
    const current = await findSegment(this.#options.database, organizationId, id);
    if (!current) return undefined;
    // A new predicate without a query replaces the old query: an empty one is built from the predicate.
    const query = given.query ?? (Object.keys(given.predicate ?? {}).length > 0 ? {} : current.query);
    const { name = current.name, predicate = predicateFor(current, query) } = given;
    const definition = defineSegment(current.subjectType, { name, query, predicate });
    const segment = await updateSegment(this.#options.database, organizationId, id, definition);
    if (segment) await this.#options.onChange(organizationId, segment, "update");
    return segment && this.#withSize(organizationId, segment);
  }

  async remove(organizationId: string, id: string): Promise<boolean> {
    const segment = await findSegment(this.#options.database, organizationId, id);
    if (!segment || !(await removeSegment(this.#options.database, organizationId, id))) return false;
    await this.#options.onChange(organizationId, segment, "delete");
    return true;
  }

  async find(organizationId: string, id: string): Promise<SegmentDetails | undefined> {
    const segment = await findSegment(this.#options.database, organizationId, id);
    return segment && this.#withSize(organizationId, segment);
  }

  async list(organizationId: string, subjectType?: SubjectType): Promise<SegmentDetails[]> {
    const segments = await listSegments(this.#options.database, organizationId, subjectType);
    const ids = segments.map(({ id }) => id);
    const sizes = await this.#options.questions.segmentSizes(organizationId, ids);
    return segments.map((segment) => segmentDetails(segment, sizes.get(segment.id) ?? 0));
  }

  /** The segments that a user or account is in, each with the time at which it entered. */
  async of(organizationId: string, subjectType: SubjectType, id: string): Promise<JoinedSegment[]> {
    const segments = await this.list(organizationId, subjectType);
    if (segments.length === 0) return [];
    const found = await this.#options.questions.membershipsOf(organizationId, [id]);
    const since = new Map(found.get(id)?.map(({ segmentId, enteredAt }) => [segmentId, enteredAt]));
    return segments.flatMap((segment) => {
      const enteredAt = since.get(segment.id);
      return enteredAt === undefined ? [] : [{ ...segment, entered_at: enteredAt }];
    });
  }

  /** The ids of the segments that a user or account is in. Their sizes, which take longer to count, are not needed for it. */
  async idsOf(
    organizationId: string,
    subjectType: SubjectType,
    id: string,
    revisions?: Pick<Revisions, "segments">,
  ): Promise<string[]> {
    const { database, questions } = this.#options;
    const segments = await loadSegments(database, organizationId, revisions);
    const ids = segments.filter((segment) => segment.subjectType === subjectType).map((segment) => segment.id);
    if (ids.length === 0) return [];
    const found = await questions.membershipsOf(organizationId, [id]);
    const joined = new Set(found.get(id)?.map(({ segmentId }) => segmentId));
    return ids.filter((each) => joined.has(each));
  }

  /** Why a user or account is in a segment or not: for each clause, whether it holds and for which values. */
  async explain(organizationId: string, subjectId: string, segmentId: string): Promise<Explanation | undefined> {
    const { database, questions } = this.#options;
    const segment = await findSegment(database, organizationId, segmentId);
    if (!segment) return undefined;
    const target = segment.subjectType;
    const attributeTypes = await loadAttributeTypes(database, organizationId);
    const selection = { target, query: parse(segment.query, { target }), attributeTypes, now: new Date() };
    return questions.explain(organizationId, selection, subjectId);
  }

  async #withSize(organizationId: string, segment: Segment): Promise<SegmentDetails> {
    const sizes = await this.#options.questions.segmentSizes(organizationId, [segment.id]);
    return segmentDetails(segment, sizes.get(segment.id) ?? 0);
  }
}

/** The predicate of a segment whose query is replaced: one that was made for another query would tell something untrue. */
function predicateFor(current: Segment, query: Record<string, unknown>): Record<string, unknown> {
  const isOther = Object.keys(query).length > 0 && !isDeepStrictEqual(query, current.query);
  return isOther ? {} : current.predicate;
}
