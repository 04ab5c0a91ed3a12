import type { Questions } from "../../storage/questions/questions.js";

/**
 * The question engine as evaluation sees it while a step is being written: what depends on the documents and events of the
 * step waits until they are there. Stored memberships do not depend on them.
 */
export function whileWriting(questions: Questions, written: Promise<void>): Questions {
  const afterwards =
    <Given extends unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      await written;
      return call(...given);
    };
  return {
    ...questions,
    answer: afterwards(questions.answer),
    changesOf: afterwards(questions.changesOf),
    writeEvaluation: afterwards(questions.writeEvaluation),
    // The error says that the engine could not write, so that no segment is blamed for it.
    ping: afterwards(questions.ping),
  };
}
