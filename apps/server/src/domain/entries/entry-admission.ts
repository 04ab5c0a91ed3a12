import type { EntryVerdict } from "@muster/protocol";
import type { Refused } from "./admit-entry.js";

/** Upper limits of what the JSON text of an entry contains. Known limits save a check. */
export interface EntryBounds {
  values: number;
  depth: number;
}

/** An entry that was admitted. */
export interface AdmittedEntry {
  active: boolean;
  quiet?: boolean;
  /** The entry as the log holds it: JSON of an `Entry`. */
  text: string;
}

/**
 * Checks the entries of a batch, one after the other, and counts them. Those that cannot be used get a verdict. An admitted
 * entry is serialised at once, so that its object is not needed again.
 */
export abstract class EntryAdmission {
  readonly rejected: EntryVerdict[] = [];
  accepted = 0;

  protected abstract admit(given: unknown, bounds: EntryBounds): AdmittedEntry | Refused;

  /** Checks the next entry. Undefined when it was refused. */
  add(given: unknown, bounds: EntryBounds): AdmittedEntry | undefined {
    const admitted = this.admit(given, bounds);
    if ("code" in admitted) {
      this.refuse(admitted);
      return undefined;
    }
    this.accepted += 1;
    return admitted;
  }

  /** Refuses the next entry. */
  refuse({ code, message }: Refused): void {
    this.rejected.push({ index: this.accepted + this.rejected.length, code, message });
  }
}
