import { parse, parseSort, type Target } from "@muster/query";
import { loadAttributeTypes } from "../audience/attributes/attribute-definitions.js";
import type { FoundRow } from "../storage/questions/asking.js";
import type { TestServer } from "./test-server.js";

const ROWS_PER_PAGE = 1_000;

/** All users, accounts or events that a query finds, the oldest first, with their hidden attributes. */
export async function findAll(
  { database, questions }: Pick<TestServer, "database" | "questions">,
  organizationId: string,
  target: Target,
  query: unknown = { match_all: {} },
): Promise<FoundRow[]> {
  const attributeTypes = await loadAttributeTypes(database, organizationId);
  const selection = { target, query: parse(query, { target }), attributeTypes, now: new Date() };
  const page = { sort: parseSort({ created_at: "asc" }, { target }), limit: ROWS_PER_PAGE };
  const found: FoundRow[] = [];
  for (;;) {
    const last = found.at(-1);
    const next = last ? { ...page, searchAfter: last.cursor } : page;
    const rows = await questions.page(organizationId, selection, next);
    found.push(...rows);
    if (rows.length < ROWS_PER_PAGE) return found;
  }
}
