import { parse, type Query, QueryError, type Target } from "@muster/query";

/** A stored query, or undefined when it has parts that are refused by now. */
export function readableQuery(query: unknown, target: Target): Query | undefined {
  try {
    return parse(query, { target });
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}
