/** A query that is refused. Says at which place of the query, and what was expected there. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  /** Like `query.bool.must.0.term`. */
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}
