import { Refusal } from "@muster/protocol";

/** Thrown when a question takes longer than the server allows. */
export class QuestionTimeout extends Refusal {
  readonly seconds: number;

  constructor(seconds: number) {
    super("question_timeout", `The question took longer than ${seconds} seconds.`);
    this.seconds = seconds;
  }
}
