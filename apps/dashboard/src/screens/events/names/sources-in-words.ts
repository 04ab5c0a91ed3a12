/** The sources of events; events that Muster makes itself have the source `platform`. */
export function sourcesInWords(sources: readonly string[]): string {
  return sources.length === 0 ? "not given" : sources.map(sourceInWords).join(", ");
}

export function sourceInWords(source: string): string {
  if (source === "") return "–";
  return source === "platform" ? "Muster itself" : source;
}
