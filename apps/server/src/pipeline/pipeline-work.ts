import type { ArrivedEntry } from "../domain/entries/recent-entry.js";
import type { BufferedPart } from "./buffers/batch-buffer.js";

/** The stages after accept (journey.ts), as the accepting side sees them. They run in the same thread (stages.ts) or in another one. */
export interface PipelineWork {
  start(): Promise<void>;
  /** Finishes the present steps. Whatever waits is done after the next start. */
  stop(): Promise<void>;
  /** Must be called with batches that are durable now. */
  appended(organizationId: string, parts: readonly BufferedPart[]): void;
  /** Checks soon whether the question engine of an organization is up to date. */
  catchUpSoon(organizationId: string): void;
  /** Re-evaluates soon the segments of an organization that are due. */
  sweepSoon(organizationId: string): void;
  /** Says whether a member watches the live list of the organization's entries. */
  setWatched(organizationId: string, isWatched: boolean): void;
}

/** What the stages tell the accepting side. */
export interface WorkEvents {
  /** Something of an organization was projected, so more of it may be searchable. */
  onProjected(organizationId: string): void;
  /** Entries of an organization that is watched could not be applied. */
  onRejected(organizationId: string, rejected: readonly ArrivedEntry[]): void;
}
