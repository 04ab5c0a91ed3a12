import { Breather } from "../loops/breather.js";
import { JsonOutline } from "./json-outline.js";

/** Smaller bodies are parsed at once, whatever they hold: that takes a few milliseconds. */
export const SMALL_BYTES = 64 * 1024;
/** A value costs more than its bytes: parsing a megabyte of empty lists takes as long as parsing 50 MB of text. */
export const MAX_VALUES = 20_000;
const SLICE_BYTES = 512 * 1024;

/** Outlines a body with pauses, so that a large one does not hold its thread for long. */
export async function outlineJson(...outlined: ConstructorParameters<typeof JsonOutline>): Promise<JsonOutline> {
  const outline = new JsonOutline(...outlined);
  const breather = new Breather();
  while (outline.read(SLICE_BYTES)) if (breather.isDue) await breather.pause();
  return outline;
}
