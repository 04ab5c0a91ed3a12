import { hasUserAttributePrefix, withoutUserAttributePrefix } from "@muster/protocol";

/** An object of values and of groups of values. */
export interface GroupedTraits {
  [key: string]: unknown;
}

/**
 * Groups the flat keys of a report into nested objects: `/` delimits groups, and user attributes without a group go
 * under `traits`.
 *
 * @example
 * groupTraits({ email: "ada@example.com", traits_plan: "pro", "traits_crm/stage": "won" });
 * // { email: "ada@example.com", traits: { plan: "pro" }, crm: { stage: "won" } }
 */
export function groupTraits(flat: Readonly<Record<string, unknown>>): GroupedTraits {
  const grouped: GroupedTraits = {};
  const made = new Set<unknown>([grouped]);
  const entries = Object.entries(flat).map(([key, value]) => ({ key, value, path: pathOf(key) }));
  // Shortest path first, so that a value without a group gets its place before a group of the same name is created.
  for (const { key, value, path } of entries.sort((a, b) => a.path.length - b.path.length)) {
    const name = path.at(-1) ?? key;
    const group = findGroup(grouped, path.slice(0, -1), made);
    // When another value has the place of the group, this value is kept under its flat key.
    if (group === undefined || Object.hasOwn(group, name)) assign(grouped, key, value);
    else assign(group, name, value);
  }
  return grouped;
}

function pathOf(key: string): string[] {
  if (!hasUserAttributePrefix(key)) return key.split("/");
  const name = withoutUserAttributePrefix(key);
  return name.includes("/") ? name.split("/") : ["traits", name];
}

/** The group at the path, created if needed. Undefined when a value of the report has its place. */
function findGroup(root: GroupedTraits, path: string[], made: Set<unknown>): GroupedTraits | undefined {
  let group = root;
  for (const name of path) {
    if (!Object.hasOwn(group, name)) {
      const fresh: GroupedTraits = {};
      made.add(fresh);
      assign(group, name, fresh);
    }
    const next = group[name];
    if (!made.has(next)) return undefined;
    // Every member of `made` was put there as a GroupedTraits.
    group = next as GroupedTraits;
  }
  return group;
}

/** Plain assignment would let an attribute named `__proto__` change the object's prototype. */
function assign(target: GroupedTraits, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}
