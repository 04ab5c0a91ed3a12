interface NamedSegment {
  readonly id: string;
  readonly name: string;
}

/** How much of an id tells two names apart. The beginning of an id is a time. */
const ID_PART = 6;

/**
 * The name of each segment in properties, by its id: letters, digits and underscores. Several names may become the same then, as
 * those without a Latin letter do. The oldest segment has it alone, the others with a part of their id: a service would take them
 * for one audience.
 */
export function audienceKeys(segments: readonly NamedSegment[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, name } of [...segments].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const plain = plainKey(name);
    const key = plain !== "" && !taken.has(plain) ? plain : `${plain || "audience"}_${id.slice(-ID_PART)}`;
    taken.add(key);
    keys.set(id, key);
  }
  return keys;
}

function plainKey(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}
