/** The sources of events; events that Muster makes itself have the source `platform`. */
export function sourcesInWords(sources: readonly string[]): string {
  if (sources.length === 0) return "not given";
  return sources.map((source) => (source === "platform" ? "Muster itself" : source)).join(", ");
}
