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

/** The search parameters of a list with a filter. */
export function filterSearch(filter: SubjectFilter): { filter: string } {
  return { filter: JSON.stringify(filter) };
}

function conditionOf(type: string, value: string | number | boolean | undefined): object {
  if (value === undefined) return { operator: "is_set" };
  if (type === "boolean") return { operator: String(value) === "true" ? "is_true" : "is_false" };
  return { operator: type === "array" ? "contains" : "equals", options: { value } };
}
