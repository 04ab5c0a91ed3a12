/** Thrown by a save when another process has taken over the work. Nothing is saved. */
export class LeaseLost extends Error {
  constructor(work: string) {
    super(`Another process has taken over this work: ${work}.`);
    this.name = "LeaseLost";
  }
}
