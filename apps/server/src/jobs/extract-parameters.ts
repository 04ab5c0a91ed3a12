/** What an extract was asked to do, as its job stores it. */
export interface ExtractParameters {
  /** Whom to tell of the file; null when nobody asked to be told. */
  url: string | null;
  format: ExtractFormat;
  fields: string[] | null;
  query: unknown;
  /** Further fields of what is told. */
  callback?: Record<string, unknown>;
}

export type ExtractFormat = "json" | "csv";
