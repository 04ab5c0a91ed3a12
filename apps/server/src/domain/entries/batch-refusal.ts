import { type BatchRefusalBody, type EntryVerdict, Refusal, refusalBody } from "@muster/protocol";

/** No entry of a batch passed the checks at the door; each still has its own verdict. */
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
