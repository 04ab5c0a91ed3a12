/** Whether a text has more than so many bytes as UTF-8. */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  // A UTF-16 code unit takes at most three bytes of UTF-8, so the bytes of short texts need not be counted.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
