import type { AttributeValue } from "../attributes/attribute-values.js";
import type { Profile } from "./profile.js";

/** What a cell takes beside its name and its value: its time, its source and the punctuation. */
const CELL_BYTES = 32;

/** About how many bytes an attribute takes where profiles are stored. */
export function cellBytes(name: string, value: AttributeValue): number {
  return CELL_BYTES + name.length + valueBytes(value);
}

function valueBytes(value: AttributeValue): number {
  // Most texts are of one byte a character, and a limit need not be exact.
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? JSON.stringify(value).length : 8;
}

/** About how many bytes the attributes of profiles take. Each profile is measured once, when somebody first asks. */
export class ProfileSizes {
  readonly #bytes = new Map<Profile, number>();

  of(profile: Profile): number {
    const known = this.#bytes.get(profile);
    if (known !== undefined) return known;
    let bytes = 0;
    for (const [name, { value }] of profile.cells) bytes += cellBytes(name, value);
    this.#bytes.set(profile, bytes);
    return bytes;
  }

  /** How many bytes there would be if an attribute got a value. */
  with(profile: Profile, name: string, value: AttributeValue): number {
    const cell = profile.cells.get(name);
    return this.of(profile) + cellBytes(name, value) - (cell ? cellBytes(name, cell.value) : 0);
  }

  /** Must be called before an attribute of a profile gets a value. */
  note(profile: Profile, name: string, value: AttributeValue): void {
    if (this.#bytes.has(profile)) this.#bytes.set(profile, this.with(profile, name, value));
  }

  /** Must be called when many attributes of a profile have changed. */
  forget(profile: Profile): void {
    this.#bytes.delete(profile);
  }
}
