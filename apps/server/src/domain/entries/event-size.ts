/** Questions read the properties of two thousand events at a time, and these must fit into the engine's memory. */
const MAX_EVENT_BYTES = 128 * 1024;

/** A sentence when the body or the context of an event is too large to be stored. It is counted as JSON. */
export function eventSizeProblem(part: unknown): string | undefined {
  const text = JSON.stringify(part);
  // A UTF-16 code unit takes at most three bytes, so the bytes of short texts need not be counted.
  const bytes = text.length * 3 > MAX_EVENT_BYTES ? Buffer.byteLength(text) : 0;
  return bytes > MAX_EVENT_BYTES ? `An event has at most ${MAX_EVENT_BYTES} bytes, not ${bytes}.` : undefined;
}
