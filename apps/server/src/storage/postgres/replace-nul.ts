/** PostgreSQL cannot store NUL characters in a text. A text from outside, for example a reason that quotes it, may have some. */
export function replaceNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
