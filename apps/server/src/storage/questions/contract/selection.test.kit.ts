import { type Catalog, type Entity, parse } from "@muster/query";
import type { Selection } from "../asking.js";
import { CATALOG, NOW } from "./dataset.test.data.js";

/** What a query selects, by the types and at the moment of the dataset. */
export function selectionOf(query: unknown, entity: Entity = "user", catalog: Catalog = CATALOG): Selection {
  return { entity, query: parse(query, { entity }), catalog, now: NOW };
}
