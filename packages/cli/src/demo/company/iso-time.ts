/** @example isoTime(0) // "1970-01-01T00:00:00.000Z" */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
