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
  /** False for an attribute that is hidden from reports. */
  visible: boolean;
  [more: string]: unknown;
}

/**
 * Flattens the tree of properties, whose leaves have an id and whose branches have children, into one object by key. The
 * schema knows more of each, and has the hidden ones, which the tree leaves out.
 */
export function readProperties(tree: unknown, schema: unknown): Record<string, Property> {
  const properties: Record<string, Property> = {};
  const fields = new Map<string, Record<string, unknown>>();
  for (const field of Array.isArray(schema) ? schema : []) {
    if (isObject(field) && typeof field.key === "string") fields.set(field.key, field);
  }
  collect(tree, [], { properties, fields });
  for (const [key, field] of fields) if (!Object.hasOwn(properties, key)) properties[key] = ofField(key, field);
  return properties;
}

interface Collecting {
  properties: Record<string, Property>;
  fields: ReadonlyMap<string, Record<string, unknown>>;
}

function collect(nodes: unknown, path: string[], { properties, fields }: Collecting): void {
  if (!Array.isArray(nodes)) return;
  for (const node of nodes) {
    if (!isObject(node)) continue;
    const title = textOf(node.text) ?? textOf(node.name) ?? "";
    const key = node.id ?? node.key;
    if (typeof key === "string") {
      const known = { visible: true, ...fields.get(key), ...node };
      properties[key] = { ...known, key, id: key, title, text: title, type: textOf(node.type) ?? "", path };
    } else {
      collect(node.children, [...path, title], { properties, fields });
    }
  }
}

/** A property that the tree leaves out. */
function ofField(key: string, field: Record<string, unknown>): Property {
  const title = key.replace(/^(?:account\.|traits_)/, "");
  const group = title.includes("/") ? [title.slice(0, title.indexOf("/"))] : [];
  const visible = field.visible !== false;
  return { ...field, key, id: key, title, text: title, type: textOf(field.type) ?? "", path: group, visible };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
