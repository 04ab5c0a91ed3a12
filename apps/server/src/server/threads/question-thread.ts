import { enterThread } from "../../runtime/threads/enter-thread.js";
import { threadTools } from "../../runtime/threads/thread-tools.js";
import { serveQuestions } from "../../storage/questions/threaded/serve-questions.js";
import { openQuestions, questionsEvents } from "../open-questions.js";
import type { MainCallsOfQuestions, QuestionThreadCalls } from "./question-thread-calls.js";

// The question thread. It owns the embedded question engine, and answers the main thread and the pipeline thread. The main
// thread starts it (start-question-thread.ts).

const thread = enterThread<QuestionThreadCalls, undefined, MainCallsOfQuestions>({
  async open(config, ports) {
    const onOpened = (organizationId: string) => main.tell("onOpened", [organizationId]);
    const questions = await openQuestions(config, questionsEvents(logger, onSlowQuery("questions"), onOpened));
    closing.add(() => questions.close());
    for (const port of ports) serveQuestions(port, questions);
  },
});
const { main, closing } = thread;
const { logger, onSlowQuery } = threadTools(thread);
