import { type AttributeTypes, parse, type Target } from "@muster/query";
import type { Selection } from "../asking.js";
import { CATALOG, NOW } from "./dataset.test.data.js";

/** What a query selects, by the types and at the moment of the dataset. */
export function selectionOf(
  query: unknown,
  target: Target = "user",
  attributeTypes: AttributeTypes = CATALOG,
): Selection {
  return { target, query: parse(query, { target }), attributeTypes, now: NOW };
}
