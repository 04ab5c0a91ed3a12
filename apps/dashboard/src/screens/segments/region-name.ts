/** A region of an overlap in words. @example regionName(["a"], ["a", "b"], name) // "In Pro, not in Red" */
export function regionName(inside: readonly string[], all: readonly string[], nameOf: (id: string) => string): string {
  const outside = all.filter((id) => !inside.includes(id)).map(nameOf);
  const names = inside.map(nameOf).join(" and ");
  return outside.length === 0 ? `In ${names}` : `In ${names}, not in ${outside.join(" or ")}`;
}
