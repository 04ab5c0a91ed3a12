import type { Entry } from "../../domain/entries/entry.js";
import { LANE, type Lane } from "../../domain/entries/lanes.js";
import { Breather } from "../../runtime/loops/breather.js";
import { type CompressedPart, LaneCompressor } from "./lane-compressor.js";

/** Compresses entries for the log. Active entries go to the active lane, the others to the given one. */
export async function compressLanes(entries: readonly Entry[], lane: Lane = LANE.live): Promise<CompressedPart[]> {
  const active = new LaneCompressor(LANE.active);
  const rest = new LaneCompressor(lane);
  const breather = new Breather();
  for (const entry of entries) {
    if (breather.isDue) await breather.pause();
    (entry.active ? active : rest).add(JSON.stringify(entry));
  }
  return [...active.finish(), ...rest.finish()];
}
