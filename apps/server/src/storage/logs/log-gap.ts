/**
 * Thrown when a log lacks the row that comes next. Positions are given in the transaction that writes the row, so they
 * have no gaps, and a missing row was lost. Going on after it would hide the loss.
 */
export class LogGap extends Error {
  /** `log` is a noun phrase, such as "the change log". */
  constructor(log: string, missing: number, { wayOut = "the row is restored from a backup" } = {}) {
    super(
      `Position ${missing} of ${log} is missing, although later ones were given. Work on this organization waits until ${wayOut}.`,
    );
    this.name = "LogGap";
  }
}
