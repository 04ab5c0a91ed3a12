/** The beginning of a text: at most `maxBytes` of UTF-8, and whole characters. */
export function firstBytes(text: string, maxBytes: number): string {
  // Each character takes one byte at least, so longer texts need not be encoded in full.
  const bytes = new TextEncoder().encode(text.slice(0, maxBytes));
  // A streaming decoder leaves out the character that the cut has split.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
}
