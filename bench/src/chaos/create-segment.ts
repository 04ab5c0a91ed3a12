import { SCORE } from "./load.js";
import type { Operator } from "./operator.js";

/** Creates the segment that users of the load enter and leave. Returns its id. */
export async function createSegment(operator: Operator): Promise<string> {
  const query = { range: { traits_score: { gte: SCORE } } };
  const segment = await operator.call<{ id: string }>("POST", "/users_segments", {
    name: "High",
    query,
    predicate: {},
  });
  return segment.id;
}
