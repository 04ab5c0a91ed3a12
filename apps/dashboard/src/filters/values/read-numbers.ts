/** Texts as numbers where they are numbers. Others stay, so that the API can say what is wrong with them. */
export function readNumbers(texts: readonly string[]): (string | number)[] {
  return texts.map((text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text));
}
