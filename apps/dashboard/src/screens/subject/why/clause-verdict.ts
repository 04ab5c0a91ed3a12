import type { Explanation } from "@muster/protocol/api/segments";
import { showValue } from "../../../ui/text/show-value.js";

type Clause = Explanation["clauses"][number];

export interface ClauseVerdict {
  /** Whether the clause is as the segment wants it. */
  isFulfilled: boolean;
  verdict: string;
  seen: string;
}

/** What a clause means for the subject. A clause under "none of" must not hold. */
export function clauseVerdict({ negated, holds, seen }: Clause): ClauseVerdict {
  const isFulfilled = holds !== negated;
  const verdict = negated
    ? holds
      ? "It holds, and must not."
      : "It does not hold, as it must."
    : holds
      ? "It holds."
      : "It does not hold.";
  return { isFulfilled, verdict, seen: seen === null ? "There is no value." : `The value is ${showValue(seen)}.` };
}
