import { type AttributeTypes, parse, type Target } from "@muster/query";
import type { Selection } from "../asking.js";
import { ATTRIBUTE_TYPES, NOW } from "./dataset.test.data.js";

/** A selection by a query, with the attribute types and the time of the dataset. */
export function selectionOf(
  query: unknown,
  target: Target = "user",
  attributeTypes: AttributeTypes = ATTRIBUTE_TYPES,
): Selection {
  return { target, query: parse(query, { target }), attributeTypes, now: NOW };
}
