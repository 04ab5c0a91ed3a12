import type { SubjectType } from "@muster/protocol";

/** How a saved view shows a list of users or accounts. */
export interface ViewDefinition {
  name: string;
  target: SubjectType;
  /** The filter; empty when there is none. */
  predicate: Record<string, unknown>;
  /** The words in the search box. */
  search: string;
  /** The shown fields in their order. */
  columns: ViewColumn[];
  /** A field with `asc` or `desc`; empty for the usual order. */
  sort: Record<string, unknown>;
}

export interface ViewColumn {
  key: string;
  /** In pixels; left out for the usual width. */
  width?: number;
}

export interface View extends ViewDefinition {
  id: number;
  createdAt: Date;
  updatedAt: Date;
}
