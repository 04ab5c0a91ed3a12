import type { SubjectType } from "@muster/protocol";
import type { AttributeTypes, Explanation, NamedAggregation, Page, Query, Target } from "@muster/query";

/** Which users, accounts or events are meant. */
export interface Selection {
  target: Target;
  query: Query;
  /** The types of the organization's attributes. */
  attributeTypes: AttributeTypes;
  /** The moment that relative dates count from. */
  now: Date;
}

/** A user or account as it was last written, and the segments it is in. */
export interface FoundSubject {
  report: Record<string, unknown>;
  segmentIds: string[];
}

/** A row of a page: a subject, or an event, which is in no segment. */
export interface FoundRow extends FoundSubject {
  id: string;
  /** Of a user that has one. */
  account: FoundSubject | undefined;
  /** What `searchAfter` takes to go on after this row. */
  cursor: unknown;
}

export interface AskOptions {
  /** Ends the question when nobody waits for its answer any more. */
  signal?: AbortSignal | undefined;
}

/** Asking what a query selects. A query that asks of a field what its type does not allow throws a `QueryError`. */
export interface Asking {
  page(organizationId: string, selection: Selection, page: Page, options?: AskOptions): Promise<FoundRow[]>;
  count(organizationId: string, selection: Selection, options?: AskOptions): Promise<number>;
  /** The answers of aggregations over what is selected, by name. */
  aggregate(
    organizationId: string,
    selection: Selection,
    aggregations: readonly NamedAggregation[],
    options?: AskOptions,
  ): Promise<Record<string, unknown>>;
  /** Why a user or account is selected or not; undefined when there is none of that id. */
  explain(organizationId: string, selection: Selection, id: string): Promise<Explanation | undefined>;
  /** How many users or accounts have a value of each attribute, by report key. */
  countAttributes(organizationId: string, kind: SubjectType): Promise<Map<string, number>>;
}
