import { isObject } from "@muster/protocol";

/** A property of users or accounts, with what Muster knows about it. */
export interface Property {
  /** The key it has in reports, e.g. `traits_crm/stage`. */
  key: string;
  id: string;
  /** The name that people see. */
  title: string;
  text: string;
  type: string;
  /** Titles of the groups it is in, outermost first. */
  path: string[];
  [more: string]: unknown;
}

/** Flattens the tree of properties, whose leaves have an id and whose branches have children, into one object by key. */
export function readProperties(tree: unknown): Record<string, Property> {
  const properties: Record<string, Property> = {};
  collect(tree, [], properties);
  return properties;
}

function collect(nodes: unknown, path: string[], properties: Record<string, Property>): void {
  if (!Array.isArray(nodes)) return;
  for (const node of nodes) {
    if (!isObject(node)) continue;
    const title = textOf(node.text) ?? textOf(node.name) ?? "";
    const key = node.id ?? node.key;
    if (typeof key === "string") {
      properties[key] = { ...node, key, id: key, title, text: title, type: textOf(node.type) ?? "", path };
    } else {
      collect(node.children, [...path, title], properties);
    }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
