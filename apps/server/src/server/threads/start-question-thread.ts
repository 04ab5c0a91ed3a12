import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Config } from "../../runtime/settings/config.js";
import type { Threads } from "../../runtime/threads/threads.js";
import type { Questions } from "../../storage/questions/questions.js";
import { threadedQuestions } from "../../storage/questions/threaded/threaded-questions.js";
import type { MainCallsOfQuestions, QuestionThreadCalls } from "./question-thread-calls.js";

const KIND = {
  name: "questions",
  start: new URL("./question-thread.js", import.meta.url),
  limits: { maxYoungGenerationSizeMb: 48 },
};

export interface QuestionThreadOptions extends Pick<MainCallsOfQuestions, "onOpened"> {
  threads: Threads;
  /** Called when the thread has ended by itself. The engine cannot be used any more. */
  onFailed(error: unknown, thread: string): void;
}

/** The thread that owns the embedded question engine, as the main thread sees it. */
export interface QuestionThread {
  /** Opens the engine. */
  open(config: Config): Promise<Questions>;
  /** Where the pipeline thread asks the engine. It is given away once. */
  pipelinePort: MessagePort;
  /** Closes the engine, and ends the thread. Further calls do nothing. */
  close(): Promise<void>;
}

/** Starts the thread. It loads its code while the caller goes on. */
export function startQuestionThread({ threads, onOpened, onFailed }: QuestionThreadOptions): QuestionThread {
  const thread = threads.start<QuestionThreadCalls>(KIND, {
    own: { onOpened },
    onFailed: (error) => onFailed(error, KIND.name),
  });
  const own = new MessageChannel();
  const ofPipeline = new MessageChannel();
  return {
    pipelinePort: ofPipeline.port2,
    async open(config) {
      const ports = [own.port1, ofPipeline.port1];
      await thread.calls.ask("open", [config, ports], ports);
      return threadedQuestions(own.port2);
    },
    close: () => thread.close(),
  };
}
