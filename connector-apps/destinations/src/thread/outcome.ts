/** What became of one event with one mapping. */
export interface Outcome {
  kind: "accepted" | "skipped" | "refused" | "retry" | "limited" | "settings";
  /** The HTTP status of the service's answer. */
  status?: number;
  reason?: string;
  /** What was sent and what came back, without secrets. */
  exchange?: string;
  /** When the service takes calls again, in milliseconds since 1970. */
  clearsAt?: number;
}

/** The worst first: one connector's message can have several events, and each event several mappings. */
const WORST_FIRST: readonly Outcome["kind"][] = ["settings", "limited", "retry", "refused", "accepted", "skipped"];

export function worstOf(outcomes: readonly Outcome[]): Outcome | undefined {
  return WORST_FIRST.flatMap((kind) => outcomes.filter((outcome) => outcome.kind === kind))[0];
}

/** Whether the message must be sent again. */
export function isPending({ kind }: Outcome): boolean {
  return kind === "retry" || kind === "limited" || kind === "settings";
}
