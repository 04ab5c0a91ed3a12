import { type SubjectType, withUserAttributePrefix } from "@muster/protocol";
import type { SegmentWarning } from "@muster/protocol/api/segments";
import { attributeName, STANDARD_FIELDS, type UnknownField, unknownFields } from "@muster/query";
import { closestName } from "../../domain/attributes/closest-name.js";
import type { Queryable } from "../../storage/postgres/database.js";
import type { Segment } from "../../storage/postgres/segments/segments.js";
import { loadAttributeNames, loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { readableQuery } from "./readable-query.js";

type Names = Readonly<Record<SubjectType, readonly string[]>>;

// A warning compares one name with all others, so their number is bounded.
const MAX_WARNINGS = 20;

/**
 * What is probably wrong with a query that is allowed: it asks about attributes that nobody has. A query that cannot be
 * read has no warnings, because the record of a broken segment is shown too.
 */
export async function segmentWarnings(
  database: Queryable,
  organizationId: string,
  { subjectType, query }: Pick<Segment, "subjectType" | "query">,
): Promise<SegmentWarning[]> {
  const tree = readableQuery(query, subjectType);
  const unknown = tree ? unknownFields(tree, await loadAttributeTypes(database, organizationId)) : [];
  if (unknown.length === 0) return [];
  const names = await loadAttributeNames(database, organizationId);
  return unknown.slice(0, MAX_WARNINGS).map((field) => warningAbout(field, names));
}

function warningAbout({ path, target, key }: UnknownField, names: Names): SegmentWarning {
  const suggestion = suggestionFor(target, key, names) ?? null;
  const question = suggestion === null ? "" : ` Did you mean ${suggestion}?`;
  return {
    path,
    attribute: key,
    suggestion,
    message: `No ${target} has an attribute "${key.slice(0, 100)}" so far.${question}`,
  };
}

/** The attribute that may be meant: one with a similar name, or that of the account with the same name. */
function suggestionFor(target: SubjectType, key: string, names: Names): string | undefined {
  const name = attributeName(target, key);
  const own = closestName(name, namesOf(target, names));
  if (own !== undefined) return name === key ? own : withUserAttributePrefix(own);
  return target === "user" && namesOf("account", names).includes(name) ? `account.${name}` : undefined;
}

function namesOf(target: SubjectType, names: Names): readonly string[] {
  return [...names[target], ...Object.keys(STANDARD_FIELDS[target])];
}
