/** Thrown when results are about to be saved, and another process has taken over the work. Nothing is saved then. */
export class ClaimLost extends Error {
  constructor(work: string) {
    super(`Another process has taken over this work: ${work}.`);
    this.name = "ClaimLost";
  }
}
