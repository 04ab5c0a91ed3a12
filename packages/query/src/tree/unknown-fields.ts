import { childrenOf, type Field, isFieldQuery, type Query } from "../query.js";
import { type AttributeTypes, resolveField } from "../target.js";

export interface UnknownField {
  /** The place of the first clause that tests the field. */
  readonly path: string;
  readonly target: "user" | "account";
  readonly key: string;
}

/** The fields of users and accounts that a query tests and that do not exist, each once. No clause about them can hold. */
export function unknownFields(query: Query, attributeTypes: AttributeTypes): readonly UnknownField[] {
  const found = new Map<string, UnknownField>();
  const note = (path: string, { target, key }: Field): void => {
    if (target === "event" || resolveField(attributeTypes, target, key) !== undefined) return;
    const name = `${target} ${key}`;
    if (!found.has(name)) found.set(name, { path, target, key });
  };
  const visit = (node: Query): void => {
    if (isFieldQuery(node)) note(node.path, node.field);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(query);
  return [...found.values()];
}
