import { Refusal, type SubjectType } from "@muster/protocol";
import { changesWithTime, type Explanation, parse, predicateToQuery } from "@muster/query";
import type { Database } from "../storage/postgres/database.js";
import {
  createSegment,
  findSegment,
  listSegments,
  removeSegment,
  type Segment,
  type SegmentDefinition,
  updateSegment,
} from "../storage/postgres/segments/segments.js";
import type { Questions } from "../storage/questions/questions.js";
import { loadAttributeTypes } from "./attribute-definitions.js";
import type { Search } from "./search.js";
import { type JoinedSegment, type SegmentDetails, segmentDetails } from "./segment-record.js";

type Json = Record<string, unknown>;

export interface SegmentsOptions {
  database: Database;
  questions: Questions;
  search: Search;
  /** Called after a segment was created, edited or deleted: its members must be found again, and connectors notified. */
  onChange(organizationId: string, segment: Segment, action: "update" | "delete"): Promise<void>;
}

const SAMPLE_SIZE = 10;

/** Saved queries: their definitions, their members, and previews of edits. */
export class Segments {
  readonly #options: SegmentsOptions;

  constructor(options: SegmentsOptions) {
    this.#options = options;
  }

  async create(
    organizationId: string,
    subjectType: SubjectType,
    given: { name: string; query: Json; predicate: Json },
  ): Promise<SegmentDetails> {
    const definition = defineSegment(subjectType, given);
    const segment = await createSegment(this.#options.database, organizationId, subjectType, definition);
    await this.#options.onChange(organizationId, segment, "update");
    return segmentDetails(segment, 0);
  }

  async update(
    organizationId: string,
    id: string,
    given: { name?: string; query?: Json; predicate?: Json },
  ): Promise<SegmentDetails | undefined> {
    const current = await findSegment(this.#options.database, organizationId, id);
    if (!current) return undefined;
    // A new predicate without a query replaces the old query: an empty one is built from the predicate.
    const query = given.query ?? (given.predicate ? {} : current.query);
    const { name = current.name, predicate = current.predicate } = given;
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

  /**
   * Whom a query selects and, if a saved segment is given, who would enter and leave it with the query. Undefined when
   * there is no such segment. A saved segment decides whether the query is about users or accounts.
   */
  async preview(
    organizationId: string,
    given: { query: Json; predicate?: Json; segmentId?: string; subjectType: SubjectType; signal?: AbortSignal },
  ) {
    const saved = given.segmentId && (await findSegment(this.#options.database, organizationId, given.segmentId));
    if (given.segmentId !== undefined && !saved) return undefined;
    const subjectType = saved ? saved.subjectType : given.subjectType;
    const { query } = defineSegment(subjectType, { name: "", predicate: given.predicate ?? {}, query: given.query });
    const sample = (selecting: Json) =>
      this.#options.search.sample(organizationId, subjectType, selecting, SAMPLE_SIZE, { signal: given.signal });
    const selected = await sample(query);
    if (given.segmentId === undefined) {
      const nobody = { count: 0, sample: [] };
      return { ...selected, entering: nobody, leaving: nobody };
    }
    const members = { term: { segment_ids: given.segmentId } };
    const [entering, leaving] = await Promise.all([
      sample({ bool: { must: [query], must_not: [members] } }),
      sample({ bool: { must: [members], must_not: [query] } }),
    ]);
    return { ...selected, entering, leaving };
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

/** Checks a definition. An empty query is replaced by the query of the predicate, if there is one. */
function defineSegment(
  subjectType: SubjectType,
  { name, query, predicate }: { name: string; query: Json; predicate: Json },
): SegmentDefinition {
  const isEmpty = Object.keys(query).length === 0;
  const effective =
    isEmpty && Object.keys(predicate).length > 0 ? predicateToQuery(predicate, { target: subjectType }) : query;
  if (typeof effective !== "object" || effective === null) {
    throw new Refusal("invalid_query", "The predicate cannot be turned into a query.");
  }
  const tree = parse(effective, { target: subjectType });
  return { name, query: effective as Json, predicate, changesWithTime: changesWithTime(tree) };
}
