import { MUSTER_SOURCE } from "@muster/protocol";
import { allOf, anyOf, type BoolQuery, type FieldQuery, isFieldQuery, not, type Query } from "../query.js";

/** These fields say which event it is. Times, users and accounts do not. */
const TELLING_FIELDS = new Set(["event", "source", "type", "id", "event_id", "entity_id"]);

/**
 * A query about the events that count for a user or an account: what users did. An event that Muster makes itself, such as
 * `Entered segment`, counts only where a clause that holds for it says which events are meant: by their name, source, type,
 * id, or by their properties or context. A clause under `must_not` says only which are not meant. Otherwise a segment of
 * users without events would lose each member at once: Muster records an event when a user enters a segment.
 */
export function activityOf(query: Query): Query {
  const { path } = query;
  const named = namedBy(query);
  if (named === true) return query;
  const source = { target: "event", key: "source", exact: true } as const;
  const byUsers = not(path, { kind: "terms", path, field: source, values: [MUSTER_SOURCE] });
  return allOf(path, [query, named === false ? byUsers : anyOf(path, [byUsers, named])]);
}

/** Which of the events that fit a query it names: all, none, or those that fit another query. */
type Named = boolean | Query;

function namedBy(query: Query): Named {
  if (isFieldQuery(query)) return saysWhich(query);
  if (query.kind !== "bool") return false;
  const parts = [...query.must.map(namedBy), namedByChoice(query.path, choicesOf(query)), ...doubleNegations(query)];
  if (parts.includes(true)) return true;
  return either(query.path, parts);
}

/** Of an event that fits one of several queries, those queries count that it fits. */
function namedByChoice(path: string, choices: readonly Query[]): Named {
  const named = choices.map((choice) => ({ choice, named: namedBy(choice) }));
  if (named.length > 0 && named.every((one) => one.named === true)) return true;
  return either(
    path,
    named.map((one) =>
      typeof one.named === "boolean" ? one.named && one.choice : allOf(path, [one.choice, one.named]),
    ),
  );
}

function choicesOf({ should, minimum }: BoolQuery): readonly Query[] {
  return minimum > 0 ? should : [];
}

/** "Not (neither a nor b)" is "a or b". */
function doubleNegations({ path, mustNot }: BoolQuery): Named[] {
  return mustNot.flatMap((denied) =>
    denied.kind === "bool" && denied.must.length === 0 && choicesOf(denied).length === 0
      ? [namedByChoice(path, denied.mustNot)]
      : [],
  );
}

function either(path: string, parts: readonly Named[]): Named {
  const queries = parts.filter((part) => typeof part !== "boolean");
  return queries.length === 0 ? false : anyOf(path, queries);
}

function saysWhich(query: FieldQuery): boolean {
  const { target, key } = query.field;
  if (target !== "event") return false;
  if (key.startsWith("properties.") || key.startsWith("context.")) return true;
  return TELLING_FIELDS.has(key) && !fitsEveryText(query);
}

function fitsEveryText(query: FieldQuery): boolean {
  switch (query.kind) {
    case "exists":
      return true;
    case "prefix":
      return query.value === "";
    case "wildcard":
      return /^[*?]*$/.test(query.pattern);
    case "regexp":
      return /^[.*+?]*$/.test(query.pattern);
    default:
      return false;
  }
}
