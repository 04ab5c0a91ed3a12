/** An example of an operation. A test sends it to a server and checks that the answer is as the document says. */
export interface Example {
  /** What the example shows. Needed when an operation has several, and then it must differ. */
  title?: string;
  /** Who calls. Default: by the access of the operation, the caller with the fewest rights; a user for `anyone`. */
  as?: "nobody" | "source" | "member" | "user" | "connector" | "operator";
  /** Parameters of the path and the query string, by name. */
  parameters?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  body?: unknown;
  /** The status of the answer. Default: the first 2xx that the operation declares. */
  status?: number;
  /** An answer, for readers. It must fit the declared schema too. */
  answer?: unknown;
}

/** Examples by operation: the method, a space, and the path as in the document. */
export type Examples = Record<string, Example[]>;
