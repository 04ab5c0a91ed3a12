import type { Field, Query, Scalar } from "../query.js";

/**
 * The values one of which a field must have in every row that matches. Undefined when the query does not limit the field to
 * some values. Of several limits, the one with the fewest values.
 */
export function requiredValues(
  query: Query,
  { target, key }: Pick<Field, "target" | "key">,
): readonly Scalar[] | undefined {
  if (query.kind === "terms") {
    const { field, values } = query;
    return field.target === target && field.key === key ? values : undefined;
  }
  if (query.kind !== "bool") return undefined;
  const { must, should, minimum } = query;
  const required = minimum >= should.length ? [...must, ...should] : must;
  let fewest: readonly Scalar[] | undefined;
  for (const clause of required) {
    const values = requiredValues(clause, { target, key });
    if (values && (fewest === undefined || values.length < fewest.length)) fewest = values;
  }
  return fewest;
}
