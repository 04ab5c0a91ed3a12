import { CATALOG, NOW, ORG } from "../cases/dataset.test.data.js";
import type { Engine } from "../cases/engine.test.kit.js";
import type { Entity } from "../entity.js";
import { parse } from "../parse/parse.js";
import { parseAggregations } from "../parse/parse-aggregations.js";
import { type AggregationRow, compileAggregations } from "./aggregations.js";

/** The answer of one aggregation over the dataset. */
export async function aggregate(
  engine: Engine,
  aggregation: unknown,
  entity: Entity = "user",
  query: unknown = {},
): Promise<unknown> {
  const options = { org: ORG, catalog: CATALOG, now: NOW, entity };
  const [compiled] = compileAggregations(
    parse(query, { entity }),
    parseAggregations({ it: aggregation }, { entity }),
    options,
  );
  const results: AggregationRow[][] = [];
  for (const statement of compiled?.statements ?? []) results.push(await engine.rows<AggregationRow>(statement));
  return compiled?.read(results);
}
