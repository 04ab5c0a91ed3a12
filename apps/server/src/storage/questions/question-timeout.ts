/** A question that took longer than it may. */
export class QuestionTimeout extends Error {
  override readonly name = "QuestionTimeout";

  constructor(seconds: number) {
    super(`The question took longer than ${seconds} seconds.`);
  }
}
