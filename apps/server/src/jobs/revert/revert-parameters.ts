/** The request to take writes back, as its job stores it. */
export interface RevertParameters {
  /** Whose writes: the source of cells. */
  writer: string;
  /** Of a job: its id, and the record time of everything that it wrote; null for an undo, whose values have other times. */
  job: { id: string; at: number | null; position: string | null; bringsEvents: boolean } | null;
  /** Of a connector: when its writes came, in milliseconds. */
  range: { from: number; to: number } | null;
  isQuiet: boolean;
  dryRun: boolean;
  /** Since when writes are noted, when that is later than the first of these. */
  knownSince: string | null;
}
