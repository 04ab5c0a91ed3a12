/** JSON with lines and indents. A text that is not JSON, for example because it was cut, stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
