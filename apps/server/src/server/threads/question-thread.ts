import { ownThreadId } from "../../runtime/thread-times.js";
import { serveQuestions } from "../../storage/questions/threaded/serve-questions.js";
import { openQuestions } from "../open-questions.js";
import { enterThread } from "./enter-thread.js";
import type { MainCallsOfQuestions, QuestionThreadCalls } from "./question-thread-calls.js";

// The question thread. It owns the embedded question engine, and answers the main thread and the pipeline thread. The main
// thread starts it (start-question-thread.ts).

const thread = enterThread<QuestionThreadCalls, MainCallsOfQuestions>({
  async open(config, ports) {
    const { main, logger, closing, onSlowQuery } = thread;
    const questions = await openQuestions(config, {
      onSlow: onSlowQuery("questions"),
      onOpened: (organizationId) => main.tell("onOpened", [organizationId]),
      onProblem: (error, message, organizationId) => logger.warn({ err: error, organizationId }, message),
    });
    closing.add(() => questions.close());
    for (const port of ports) serveQuestions(port, questions);
    return ownThreadId();
  },
});
