/** Whether a database can store the text: PostgreSQL refuses a NUL and half a surrogate pair. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
