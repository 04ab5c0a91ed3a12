/** Thrown when a question takes longer than the time limit. */
export class QuestionTimeout extends Error {
  override readonly name = "QuestionTimeout";

  constructor(seconds: number) {
    super(`The question took longer than ${seconds} seconds.`);
  }
}
