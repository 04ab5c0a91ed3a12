/** Thrown by a save when another process has taken over the work. Nothing is saved. */
export class ClaimLost extends Error {
  constructor(work: string) {
    super(`Another process has taken over this work: ${work}.`);
    this.name = "ClaimLost";
  }
}
