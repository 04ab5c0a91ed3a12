/**
 * The only place where a text that somebody chose becomes part of SQL. A quote ends a text and two stand for one; nothing
 * escapes. A statement ends at its first NUL, so that character is spelled out.
 */
export function quoteText(text: string): string {
  const parts = text.split("\0").map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? parts.join("") : `(${parts.join(" || chr(0) || ")})`;
}

/** The way to a member of a JSON object (RFC 6901), whatever characters its name has. */
export function jsonPointer(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
