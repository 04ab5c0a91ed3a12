/** The request for an extract, as its job stores it. */
export interface ExtractParameters {
  /** Called with the address of the file once it is ready; null when no call is wanted, and null once it is sealed. */
  url: string | null;
  format: ExtractFormat;
  fields: string[] | null;
  query: unknown;
  /** Cells of CSV that a spreadsheet would run as a formula stay as they are. */
  csvFormulas?: boolean;
  /** Users who have not agreed to all of these are left out, and those of the connector that asks. */
  purposes?: string[];
  /** Further fields of the body of that call. */
  callback?: Record<string, unknown>;
  /** The address belongs to the connector of the job: its credentials are added to the query string. */
  asConnector?: true;
}

export type ExtractFormat = "json" | "csv" | "parquet";
