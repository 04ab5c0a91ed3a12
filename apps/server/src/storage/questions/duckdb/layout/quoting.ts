/**
 * The only place where a text from outside becomes part of SQL. In a quoted text only the quote has a special meaning,
 * and is doubled. A NUL would end the whole statement, so it is written as `chr(0)`.
 */
export function quoteText(text: string): string {
  const parts = text.split("\0").map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? parts.join("") : `(${parts.join(" || chr(0) || ")})`;
}

/** The JSON pointer (RFC 6901) to a member of an object, with any characters in its name. */
export function jsonPointer(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
