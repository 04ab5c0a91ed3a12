/**
 * An error that the connector must catch itself. Uncaught it is treated like any unexpected error.
 *
 * @example
 * throw new LogicError("A list cannot hold itself.", "list.add", { listId });
 */
export class LogicError extends Error {
  override readonly name = "LogicError";
  readonly code = "ERR_LOGIC";
  /** The name of the action that failed. */
  readonly action: string;
  /** The input of the action. */
  readonly payload: unknown;

  constructor(message: string, action: string, payload?: unknown) {
    super(message);
    this.action = action;
    this.payload = payload;
  }
}
