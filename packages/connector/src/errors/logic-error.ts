/**
 * Something the connector itself must handle. Thrown without a catch it is an unhandled error, as any other.
 *
 * @example
 * throw new LogicError("A list cannot hold itself.", "list.add", { listId });
 */
export class LogicError extends Error {
  override readonly name = "LogicError";
  readonly code = "ERR_LOGIC";
  /** What was being done. */
  readonly action: string;
  /** What it was done with. */
  readonly payload: unknown;

  constructor(message: string, action: string, payload?: unknown) {
    super(message);
    this.action = action;
    this.payload = payload;
  }
}
