import type { SubjectType } from "@muster/protocol";
import type { AttributeTypes, Explanation, NamedAggregation, Page, Query, Target } from "@muster/query";

/** Selects users, accounts or events. */
export interface Selection {
  target: Target;
  query: Query;
  /** The types of the organization's attributes. */
  attributeTypes: AttributeTypes;
  /** The time that relative dates refer to. */
  now: Date;
}

/** A user or account as it was last written, and its segments. */
export interface FoundSubject {
  report: Record<string, unknown>;
  segmentIds: string[];
}

/** A row of a page: a subject, or an event, which has no segments. */
export interface FoundRow extends FoundSubject {
  id: string;
  /** The account of a user that has one. */
  account: FoundSubject | undefined;
  /** About how many bytes the report, and that of the account, have as JSON. */
  bytes: number;
  /** The value of `searchAfter` that continues after this row. */
  cursor: unknown;
}

export interface AskOptions {
  /** Aborts the question, when its answer is not needed any more. */
  signal?: AbortSignal | undefined;
  /** A stage of the pipeline asks: no client waits for the answer, and clients that ask much do not hold it up. */
  isOfPipeline?: boolean | undefined;
}

/** What the stages of the pipeline say with each question. */
export const OF_PIPELINE: AskOptions = { isOfPipeline: true };

/** Answers queries. A query that the type of a field does not allow throws a `QueryError`. */
export interface Asking {
  page(organizationId: string, selection: Selection, page: Page, options?: AskOptions): Promise<FoundRow[]>;
  count(organizationId: string, selection: Selection, options?: AskOptions): Promise<number>;
  /** The results of aggregations over the selected rows, by name. */
  aggregate(
    organizationId: string,
    selection: Selection,
    aggregations: readonly NamedAggregation[],
    options?: AskOptions,
  ): Promise<Record<string, unknown>>;
  /** Why a user or account is selected or not; undefined when there is none with that id. */
  explain(organizationId: string, selection: Selection, id: string): Promise<Explanation | undefined>;
  /** How many users or accounts there are, and how many have a value of each attribute. */
  countAttributes(organizationId: string, subjectType: SubjectType): Promise<AttributeCounts>;
}

export interface AttributeCounts {
  total: number;
  /** By report key. Fields that every subject has are left out. */
  counts: Map<string, number>;
}
