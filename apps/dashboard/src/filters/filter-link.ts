import type { GroupPredicate, PropertyPredicate } from "@muster/query";

/** A condition as the address of a list has it: `?filter=` with a predicate in JSON. */
export type SubjectFilter = { type: "all"; predicates: readonly object[] };

export interface FilteredAttribute {
  key: string;
  type: string;
  subjectType: "user" | "account";
}

/** Subjects that have any value of an attribute, or a certain one. */
export function attributeFilter(attribute: FilteredAttribute, value?: string | number | boolean): SubjectFilter {
  const { key, type, subjectType } = attribute;
  return { type: "all", predicates: [{ property: { key, type, entity: subjectType }, ...conditionOf(type, value) }] };
}

/** Users who did something at least once. */
export function eventFilter(name: string): SubjectFilter {
  return { type: "all", predicates: [{ event: { name }, operator: "at_least", count: 1 }] };
}

/** Those who are in all of some segments, and in none of others. */
export function regionFilter(
  inside: readonly string[],
  outside: readonly string[],
  of: "user" | "account",
): GroupPredicate {
  const property = { key: "segment_ids", type: "array", entity: of } as const;
  return {
    type: "all",
    predicates: [
      ...inside.map((id): PropertyPredicate => ({ property, operator: "in_segment", options: { value: [id] } })),
      ...outside.map((id): PropertyPredicate => ({ property, operator: "not_in_segment", options: { value: [id] } })),
    ],
  };
}

/** The search parameters of a list with a filter. */
export function filterSearch(filter: SubjectFilter | GroupPredicate): { filter: string } {
  return { filter: JSON.stringify(filter) };
}

function conditionOf(type: string, value: string | number | boolean | undefined): object {
  if (value === undefined) return { operator: "is_set" };
  if (type === "boolean") return { operator: String(value) === "true" ? "is_true" : "is_false" };
  return { operator: type === "array" ? "contains" : "equals", options: { value } };
}
