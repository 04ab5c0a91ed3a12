/** What Enter takes: the suggestion that is the typed text, or the only one there is. Undefined: the text as it is. */
export function meantValue(typed: string, suggestions: readonly string[]): string | undefined {
  const text = typed.trim().toLowerCase();
  const exact = suggestions.filter((value) => value.toLowerCase() === text);
  if (exact.length > 0) return exact.find((value) => value === typed.trim()) ?? exact[0];
  return suggestions.length === 1 ? suggestions[0] : undefined;
}

/** What is said about chosen values that nobody has. */
export function unusedWords(unused: readonly string[], chosen: number): string | undefined {
  if (unused.length === 0) return undefined;
  return chosen === 1 ? "Nobody has this value" : `Nobody has ${unused.map((value) => `“${value}”`).join(", ")}`;
}
