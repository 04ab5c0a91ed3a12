// An index holds the reasons, and PostgreSQL limits the size of what it indexes.
const MAX_LENGTH = 300;

/**
 * The reason of a rejection without the values of the one entry, so that entries with the same problem are one group.
 * Names of attributes, events and properties stay. Of several sentences the first one counts.
 */
export function generalReason(message: string): string {
  const general = message
    .replace(/((?:attribute|event|property) )?"[^"]*"/g, (quoted, noun) => (noun === undefined ? '"…"' : quoted))
    .replace(/\b[0-9a-f]{24}\b/g, "…");
  const [first = ""] = general.split(". ");
  // The cut may leave the first half of a surrogate pair.
  const short = first
    .replace(/\.+$/, "")
    .slice(0, MAX_LENGTH)
    .replace(/\p{Surrogate}$/u, "");
  return `${short}.`;
}
