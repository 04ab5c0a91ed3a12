import { withoutUserAttributePrefix } from "@muster/protocol";
import { childrenOf, isFieldQuery, type Query } from "../query.js";
import type { Target } from "../target.js";

/** What the answer of a query depends on. While nothing of it changes, the answer stays the same (see also `changesWithTime`). */
export interface QueryDependencies {
  /** Fields of users and accounts, custom ones without `traits_`. */
  readonly user: readonly string[];
  readonly account: readonly string[];
  /** Names of the events that it counts; `anyEvent` when it counts events of any name. */
  readonly events: readonly string[];
  readonly anyEvent: boolean;
  /** Ids of the segments that it tests; `anySegment` when it tests membership in any segment. */
  readonly segments: readonly string[];
  readonly anySegment: boolean;
}

export function queryDependencies(query: Query, target: Target): QueryDependencies {
  const found = {
    user: new Set<string>(),
    account: new Set<string>(),
    event: new Set<string>(),
    names: new Set<string>(),
    segments: new Set<string>(),
  };
  let anyEvent = false;
  let anySegment = false;

  const visit = (node: Query): void => {
    if (isFieldQuery(node)) {
      const { field } = node;
      // Only attributes of users have the prefix: an account may have an attribute whose name begins like it.
      found[field.target].add(field.target === "user" ? withoutUserAttributePrefix(field.key) : field.key);
      if (field.key === "segment_ids") {
        if (node.kind === "terms") for (const id of node.values) found.segments.add(String(id));
        else anySegment = true;
      }
    }
    if (node.kind === "has_events") noteEvents(node.query);
    for (const child of childrenOf(node)) visit(child);
  };

  const noteEvents = (query: Query): void => {
    const names = eventNamesOf(query);
    if (names === undefined) anyEvent = true;
    else for (const name of names) found.names.add(name);
  };

  visit(query);
  if (target === "event") noteEvents(query);
  return {
    user: [...found.user],
    account: [...found.account],
    events: [...found.names],
    anyEvent,
    segments: [...found.segments],
    anySegment,
  };
}

/** The names of the only events that a query about events can match, or undefined when any name can match. */
export function eventNamesOf(query: Query): readonly string[] | undefined {
  if (query.kind === "terms" && query.field.key === "event" && query.field.target === "event")
    return query.values.map(String);
  if (query.kind !== "bool") return undefined;
  for (const clause of query.must) {
    const names = eventNamesOf(clause);
    if (names !== undefined) return names;
  }
  if (query.minimum < 1 || query.should.length === 0) return undefined;
  const choices = query.should.map(eventNamesOf);
  return choices.every((names) => names !== undefined) ? [...new Set(choices.flat())] : undefined;
}
