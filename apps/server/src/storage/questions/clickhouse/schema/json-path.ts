/**
 * The only place where a name somebody chose becomes part of SQL text. A quoted identifier ends at a backtick and
 * a backslash escapes, so those two are escaped; everything else stands for itself.
 */
export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

/** The name of a path in a JSON column: one level, so a dot is escaped, and the escape character too. */
export function pathName(key: string): string {
  return key.replace(/%/g, "%25").replace(/\./g, "%2E");
}

/** The key that a path was named after. */
export function keyOfPath(path: string): string {
  return path.replaceAll("%2E", ".").replaceAll("%25", "%");
}

/** A path of a JSON column, e.g. `` attrs.`traits_crm/stage` ``. */
export function jsonPath(column: "attrs" | "properties" | "context", key: string): string {
  return `${column}.${quoteIdentifier(pathName(key))}`;
}
