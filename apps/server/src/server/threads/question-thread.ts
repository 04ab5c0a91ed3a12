import { ownThreadId } from "../../runtime/threads/thread-times.js";
import { serveQuestions } from "../../storage/questions/threaded/serve-questions.js";
import { openQuestions, questionsEvents } from "../open-questions.js";
import { enterThread } from "./enter-thread.js";
import type { MainCallsOfQuestions, QuestionThreadCalls } from "./question-thread-calls.js";

// The question thread. It owns the embedded question engine, and answers the main thread and the pipeline thread. The main
// thread starts it (start-question-thread.ts).

const thread = enterThread<QuestionThreadCalls, MainCallsOfQuestions>({
  async open(config, ports) {
    const { main, logger, closing, onSlowQuery } = thread;
    const onOpened = (organizationId: string) => main.tell("onOpened", [organizationId]);
    const questions = await openQuestions(config, questionsEvents(logger, onSlowQuery("questions"), onOpened));
    closing.add(() => questions.close());
    for (const port of ports) serveQuestions(port, questions);
    return ownThreadId();
  },
});
