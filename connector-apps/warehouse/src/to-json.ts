/**
 * Rows as one JSON text: a statement takes all its rows as one parameter, so that any number of rows is one round trip.
 * NUL characters are left out, because PostgreSQL cannot store them and attributes may contain them.
 */
export function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, "$1");
}
