import { type BatchRefusalBody, type EntryVerdict, Refusal, refusalBody } from "@muster/protocol";

/** The refusal of a batch of which no entry can be accepted, with a verdict for each entry. */
export class BatchRefusal extends Refusal {
  readonly rejected: readonly EntryVerdict[];

  constructor(rejected: readonly EntryVerdict[]) {
    super("batch_refused", "No entry of the batch can be accepted.", {
      details: rejected.map(({ index, message }) => ({ path: `body.batch.${index}`, message })),
    });
    this.rejected = rejected;
  }

  body(): BatchRefusalBody {
    return { ...refusalBody(this), rejected: [...this.rejected] };
  }
}
