/** An entry of a batch that is too large to be parsed. It gets a verdict like any other entry that is refused. */
export class UnreadEntry {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
