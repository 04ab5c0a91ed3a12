/** Why a request to another server failed. */
export type OutboundProblem =
  | "bad_url"
  | "refused_address"
  | "too_many_redirects"
  | "too_large"
  | "timeout"
  | "too_slow"
  | "network";

export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly problem: OutboundProblem;

  constructor(problem: OutboundProblem, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.problem = problem;
  }
}
