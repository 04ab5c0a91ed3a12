import { Refusal } from "@muster/protocol";

/** The question engine needed longer for a question than the settings allow. */
export class QuestionTimeout extends Refusal {
  constructor(seconds: number) {
    super("question_timeout", `The question took longer than ${seconds} seconds.`);
  }
}
