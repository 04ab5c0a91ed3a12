import { parseAggregations, type Target } from "@muster/query";
import type { Questions } from "../questions.js";
import { ORG } from "./dataset.test.data.js";
import { selectionOf } from "./selection.test.kit.js";

/** The result of one aggregation over the dataset. */
export async function aggregate(
  questions: Questions,
  aggregation: unknown,
  target: Target = "user",
  query: unknown = {},
): Promise<unknown> {
  const aggregations = parseAggregations({ it: aggregation }, { target });
  const answers = await questions.aggregate(ORG, selectionOf(query, target), aggregations);
  return answers.it;
}
