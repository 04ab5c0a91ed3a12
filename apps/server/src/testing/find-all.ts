import { type Entity, parse, parseSort } from "@muster/query";
import { loadCatalog } from "../storage/postgres/definitions/catalog.js";
import type { FoundRow } from "../storage/questions/asking.js";
import type { TestServer } from "./test-server.js";

const ROWS_PER_PAGE = 1_000;

/** Every user, account or event that a query finds, as questions show it, the oldest first. Hidden attributes are there. */
export async function findAll(
  { database, questions }: Pick<TestServer, "database" | "questions">,
  organizationId: string,
  entity: Entity,
  query: unknown = { match_all: {} },
): Promise<FoundRow[]> {
  const catalog = await loadCatalog(database, organizationId);
  const selection = { entity, query: parse(query, { entity }), catalog, now: new Date() };
  const page = { sort: parseSort({ created_at: "asc" }, { entity }), limit: ROWS_PER_PAGE };
  const found: FoundRow[] = [];
  for (;;) {
    const last = found.at(-1);
    const next = last ? { ...page, searchAfter: last.cursor } : page;
    const rows = await questions.page(organizationId, selection, next);
    found.push(...rows);
    if (rows.length < ROWS_PER_PAGE) return found;
  }
}
