/** What an extract was asked to do, as its job stores it. */
export interface ExtractParameters {
  /** Whom to tell of the file; null when nobody asked to be told. */
  url: string | null;
  format: ExtractFormat;
  fields: string[] | null;
  query: unknown;
  /** Further fields of what is told. */
  callback?: Record<string, unknown>;
  /** The address is of the connector the job belongs to, and gets its credentials in the query. */
  asConnector?: true;
}

export type ExtractFormat = "json" | "csv";
