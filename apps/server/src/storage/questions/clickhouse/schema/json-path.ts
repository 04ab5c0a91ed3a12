/**
 * The only place where a name from outside becomes part of SQL text. In a quoted identifier only the backtick and the
 * backslash have a special meaning, so these two are escaped.
 */
export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

/** The name of a path of one level in a JSON column. A dot would separate levels, so it is escaped as `%2E`. */
export function pathName(key: string): string {
  return key.replace(/%/g, "%25").replace(/\./g, "%2E");
}

/** The key that `pathName` was called with. */
export function keyOfPath(path: string): string {
  return path.replaceAll("%2E", ".").replaceAll("%25", "%");
}

/** A path of a JSON column, e.g. `` attrs.`traits_crm/stage` ``. */
export function jsonPath(column: "attrs" | "properties" | "context", key: string): string {
  return `${column}.${quoteIdentifier(pathName(key))}`;
}
