/** Remembers an answer for each organization for a short time, so that many screens ask the engines once. */
export class RecentAnswers<Answer> {
  readonly #maxAgeMs: number;
  readonly #compute: (organizationId: string) => Promise<Answer>;
  /** The oldest first. */
  readonly #answers = new Map<string, { at: number; answer: Promise<Answer> }>();

  constructor(maxAgeMs: number, compute: (organizationId: string) => Promise<Answer>) {
    this.#maxAgeMs = maxAgeMs;
    this.#compute = compute;
  }

  /** An answer that was started at most `maxAgeMs` ago. A failed answer is not cached. */
  get(organizationId: string): Promise<Answer> {
    const now = performance.now();
    for (const [id, { at }] of this.#answers) {
      if (now - at <= this.#maxAgeMs) break;
      this.#answers.delete(id);
    }
    const known = this.#answers.get(organizationId);
    if (known) return known.answer;
    const answer = this.#compute(organizationId);
    this.#answers.set(organizationId, { at: now, answer });
    answer.catch(() => {
      if (this.#answers.get(organizationId)?.answer === answer) this.#answers.delete(organizationId);
    });
    return answer;
  }
}
