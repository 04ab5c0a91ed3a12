/** How long a step of the relay waits for the question engine. Nearly all answers come sooner. */
const PATIENCE_MS = 2_000;

export interface PatientQuestionsOptions {
  /** Is called when an answer has come that no step waits for any more. */
  onAnswered(organizationId: string): void;
}

interface Asked<Answer> {
  settled: PromiseSettledResult<Answer> | undefined;
}

/**
 * Asks one question at a time for each organization. A step of the relay waits for the answer a while. A slow question goes on
 * beside the next steps, and one of them gets the answer: records do not wait for it.
 */
export class PatientQuestions<Answer> {
  readonly #options: PatientQuestionsOptions;
  readonly #asked = new Map<string, Asked<Answer>>();

  constructor(options: PatientQuestionsOptions) {
    this.#options = options;
  }

  /** Whether a question was asked and no step has its answer yet. */
  isAsking(organizationId: string): boolean {
    return this.#asked.has(organizationId);
  }

  /** Drops the answer that is expected. Returns whether there was one. */
  forget(organizationId: string): boolean {
    return this.#asked.delete(organizationId);
  }

  /** Asks, and waits a while. Undefined when the answer has not come. */
  async ask(organizationId: string, question: () => Promise<Answer>): Promise<Answer | undefined> {
    if (!this.isAsking(organizationId)) await this.#begin(organizationId, question);
    return this.take(organizationId);
  }

  /** The answer, once. Undefined when it has not come. Throws when there is an error instead. */
  take(organizationId: string): Answer | undefined {
    const settled = this.#asked.get(organizationId)?.settled;
    if (!settled) return undefined;
    this.#asked.delete(organizationId);
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  }

  async #begin(organizationId: string, question: () => Promise<Answer>): Promise<void> {
    const asked: Asked<Answer> = { settled: undefined };
    this.#asked.set(organizationId, asked);
    const answered = Promise.allSettled([question()]).then(([settled]) => {
      asked.settled = settled;
    });
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([answered, patience]);
    clearTimeout(timer);
    if (!asked.settled) {
      void answered.then(() => {
        if (this.#asked.get(organizationId) === asked) this.#options.onAnswered(organizationId);
      });
    }
  }
}
