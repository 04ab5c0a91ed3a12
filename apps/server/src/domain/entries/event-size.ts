import { exceedsBytes } from "../attributes/exceeds-bytes.js";

/** Questions read the properties of two thousand events at a time, and these must fit into the engine's memory. */
export const MAX_EVENT_BYTES = 128 * 1024;

/** A sentence when the body or the context of an event is too large to be stored. It is counted as JSON. */
export function eventSizeProblem(part: unknown, text = JSON.stringify(part)): string | undefined {
  if (!exceedsBytes(text, MAX_EVENT_BYTES)) return undefined;
  return `An event has at most ${MAX_EVENT_BYTES} bytes, not ${Buffer.byteLength(text)}.`;
}
