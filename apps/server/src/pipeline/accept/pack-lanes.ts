import type { Entry } from "../../domain/entries/entry.js";
import { LANE, type Lane } from "../../domain/entries/lanes.js";
import { Breather } from "../../runtime/breather.js";
import { type LogPart, packEntries } from "../../storage/postgres/ingest/ingest-log.js";

/** A part of a batch that is ready to be appended to the log. */
export interface PackedPart extends LogPart {
  /** The size of the entries as JSON. */
  bytes: number;
}

// A row of the log is packed, read and applied as a whole, so it must be small. An entry that is larger has a row to
// itself.
const PART_BYTES = 256 * 1024;

/** Packs entries for the log. Active entries go to the active lane, the others to the given one. */
export async function packLanes(entries: readonly Entry[], lane: Lane = LANE.live): Promise<PackedPart[]> {
  const active = entries.filter((entry) => entry.active);
  const rest = active.length === 0 ? entries : entries.filter((entry) => !entry.active);
  return [...(await packParts(LANE.active, active)), ...(await packParts(lane, rest))];
}

async function packParts(lane: Lane, entries: readonly Entry[]): Promise<PackedPart[]> {
  const parts: PackedPart[] = [];
  const breather = new Breather();
  let part = { texts: [] as string[], bytes: 0 };
  const finish = () => {
    const { texts, bytes } = part;
    if (texts.length === 0) return;
    parts.push({ lane, entryCount: texts.length, payload: packEntries(texts), bytes });
    part = { texts: [], bytes: 0 };
  };
  for (const entry of entries) {
    if (breather.isDue) await breather.pause();
    const text = JSON.stringify(entry);
    if (part.bytes + text.length > PART_BYTES) finish();
    part.texts.push(text);
    part.bytes += text.length;
  }
  finish();
  return parts;
}
