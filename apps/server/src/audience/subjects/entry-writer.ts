import type { Entry } from "../../domain/entries/entry.js";

/** Writes entries into the ingestion log. The pipeline applies them like the entries that clients send. */
export interface EntryWriter {
  /** Stores an entry and returns its position. */
  accept(organizationId: string, entry: Entry): Promise<string>;
  /** Waits until the entry at a position is applied and searchable. */
  waitFor(organizationId: string, position: string): Promise<void>;
}
