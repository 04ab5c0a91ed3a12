import type { SubjectType } from "@muster/protocol";
import { isSameQuery, parse, type Query, QueryError, queryToPredicate } from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import { findSegment } from "../../storage/postgres/segments/segments.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { defineSegment } from "../segments/define-segment.js";
import { segmentWarnings } from "../segments/segment-warnings.js";
import { openDescriber } from "./describe-segment.js";
import type { Search } from "./search.js";

type Json = Record<string, unknown>;

/** A segment that is being written: a query or a predicate, and the saved segment it would replace. */
export interface SegmentDraft {
  query: Json;
  predicate?: Json;
  segmentId?: string;
  /** A saved segment decides instead, if there is one. */
  subjectType: SubjectType;
  /** Aborts the questions, for example when the caller has disconnected. */
  signal?: AbortSignal;
}

/** A draft whose query is checked, and the queries of those who would move if it were saved. */
export interface CheckedDraft {
  subjectType: SubjectType;
  query: Json;
  /** Those who are not in the saved segment and match the query. Without a saved segment: all who match. */
  entering: Json;
  /** Those who are in the saved segment and do not match. Undefined without a saved segment. */
  leaving: Json | undefined;
  /** The query of the saved segment. */
  saved: Json | undefined;
}

export interface SegmentDraftsOptions {
  database: Database;
  search: Search;
}

export const SAMPLE_SIZE = 10;

/** What segments would be before they are saved: how many they select, whom, and who would enter and leave. */
export class SegmentDrafts {
  readonly #options: SegmentDraftsOptions;

  constructor(options: SegmentDraftsOptions) {
    this.#options = options;
  }

  /** Checks a draft. Undefined when there is no such saved segment. */
  async check(organizationId: string, draft: SegmentDraft): Promise<CheckedDraft | undefined> {
    const { segmentId } = draft;
    const saved = segmentId && (await findSegment(this.#options.database, organizationId, segmentId));
    if (segmentId !== undefined && !saved) return undefined;
    const subjectType = saved ? saved.subjectType : draft.subjectType;
    const { query } = defineSegment(subjectType, {
      name: "",
      predicate: draft.predicate ?? {},
      query: draft.query,
    });
    if (!saved) return { subjectType, query, entering: query, leaving: undefined, saved: undefined };
    const members = { term: { segment_ids: segmentId } };
    return {
      subjectType,
      query,
      entering: { bool: { must: [query], must_not: [members] } },
      leaving: { bool: { must: [members], must_not: [query] } },
      saved: saved.query,
    };
  }

  /** How many a draft selects, of how many. This is asked at every key press, so it asks for nothing else. */
  async count(organizationId: string, draft: SegmentDraft): Promise<{ count: number; total: number } | undefined> {
    const checked = await this.check(organizationId, draft);
    if (!checked) return undefined;
    const ask = (query: Json) => this.#options.search.count(organizationId, checked.subjectType, query, draft);
    const [count, total] = await Promise.all([ask(checked.query), ask({})]);
    return { count, total };
  }

  /** Whom a draft selects and, if a saved segment is given, who would enter and leave it. */
  async preview(organizationId: string, draft: SegmentDraft) {
    const checked = await this.check(organizationId, draft);
    if (!checked) return undefined;
    const sample = (query: Json) =>
      this.#options.search.sample(organizationId, checked.subjectType, query, SAMPLE_SIZE, draft);
    const selected = await sample(checked.query);
    const warnings = await segmentWarnings(this.#options.database, organizationId, checked);
    const nobody = { count: 0, sample: [] };
    if (!checked.leaving) return { ...selected, entering: nobody, leaving: nobody, warnings };
    const [entering, leaving] = await Promise.all([sample(checked.entering), sample(checked.leaving)]);
    return { ...selected, entering, leaving, warnings };
  }

  /** The query of a draft, its predicate if a builder can show it, and a sentence. */
  async convert(organizationId: string, draft: SegmentDraft) {
    const checked = await this.check(organizationId, draft);
    if (!checked) return undefined;
    const { database } = this.#options;
    const target = checked.subjectType;
    const tree = parse(checked.query, { target });
    const [attributeTypes, describe, warnings] = await Promise.all([
      loadAttributeTypes(database, organizationId),
      openDescriber(database, organizationId, target),
      segmentWarnings(database, organizationId, checked),
    ]);
    return {
      query: checked.query,
      predicate: queryToPredicate(tree, { target, attributeTypes }) ?? null,
      sentence: describe(tree),
      warnings,
      ...(checked.saved ? { unchanged: isSaved(checked.saved, tree, target) } : {}),
    };
  }
}

/** Whether a query means the same as a saved one. A saved query that cannot be read any more is another one. */
function isSaved(saved: Json, query: Query, target: SubjectType): boolean {
  try {
    return isSameQuery(parse(saved, { target }), query);
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}
