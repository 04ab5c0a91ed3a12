import type { MessagePort } from "node:worker_threads";
import { breatheFaster } from "../../../runtime/loops/breather.js";
import type { Questions } from "../questions.js";
import { decodeArguments } from "./encoded-arguments.js";
import { decodeWriting } from "./encoded-writing.js";
import { questionErrors } from "./question-errors.js";
import type { AnsweringMessage, AskingMessage, Question, Writing } from "./question-messages.js";

type AnyMethod = (...args: unknown[]) => unknown;

/**
 * Answers the questions of another thread, which has the other end of the port (`threadedQuestions`). Writing pauses more
 * often while a question waits.
 */
export function serveQuestions(port: MessagePort, questions: Questions): void {
  const running = new Map<number, AbortController>();
  const post = (message: AnsweringMessage) => port.postMessage(message);
  port.on("message", (message: AskingMessage) => {
    if (message.kind === "ask") void answer(message);
    else if (message.kind === "write") void write(message);
    else running.get(message.id)?.abort();
  });

  async function write({ id, method, encoded }: Writing): Promise<void> {
    try {
      const args = await decodeWriting(method, encoded);
      await (questions[method] as AnyMethod).apply(questions, args);
      post({ kind: "whole", id, value: undefined });
    } catch (error) {
      post({ kind: "error", id, error: questionErrors.encode(error) });
    }
  }

  async function answer({ id, method, ...encoded }: Question): Promise<void> {
    const aborting = new AbortController();
    running.set(id, aborting);
    const breatheNormally = breatheFaster();
    try {
      const args = decodeArguments(encoded, aborting.signal);
      // The arguments are those of the same method of `threadedQuestions`.
      const value: unknown = await (questions[method] as AnyMethod).apply(questions, args);
      post({ kind: "whole", id, value });
    } catch (error) {
      post({ kind: "error", id, error: questionErrors.encode(error) });
    } finally {
      breatheNormally();
      running.delete(id);
    }
  }
}
