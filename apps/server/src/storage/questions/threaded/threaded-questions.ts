import type { MessagePort } from "node:worker_threads";
import { Refusal } from "@muster/protocol";
import type { Questions } from "../questions.js";
import { encodeArguments } from "./encoded-arguments.js";
import { encodeWriting, isWriting, type WritingName } from "./encoded-writing.js";
import { questionErrors } from "./question-errors.js";
import { type AnsweringMessage, type AskingMessage, METHOD_NAMES, type MethodName } from "./question-messages.js";

/** Asks the question engine that another thread owns. `serveQuestions` has the other end of the port. */
export function threadedQuestions(port: MessagePort): Questions {
  const asked = new Map<number, (message: AnsweringMessage) => void>();
  let lastId = 0;
  const post = (message: AskingMessage) => port.postMessage(message);
  port.on("message", (message: AnsweringMessage) => asked.get(message.id)?.(message));
  // The engine's thread has ended, so the waiting calls are rejected. Otherwise they would wait for ever.
  port.on("close", () => {
    const refusal = new Refusal("unavailable", "The question engine is closed.", { retryAfter: 5 });
    const error = questionErrors.encode(refusal);
    for (const [id, take] of asked) take({ kind: "error", id, error });
  });

  function answered(id: number, message: AskingMessage): Promise<unknown> {
    return new Promise((resolve, reject) => {
      asked.set(id, (answer) => {
        if (answer.kind === "whole") resolve(answer.value);
        else reject(questionErrors.decode(answer.error));
      });
      post(message);
    }).finally(() => asked.delete(id));
  }

  async function write(method: WritingName, given: readonly unknown[]): Promise<unknown> {
    // The arguments are those of the same method of the port.
    const encoded = await encodeWriting(method, given as Parameters<Questions[WritingName]>);
    lastId += 1;
    return answered(lastId, { kind: "write", id: lastId, method, encoded });
  }

  async function ask(method: MethodName, given: readonly unknown[]): Promise<unknown> {
    const { signal, ...encoded } = encodeArguments(given);
    signal?.throwIfAborted();
    lastId += 1;
    const id = lastId;
    const onAbort = () => post({ kind: "abort", id });
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await answered(id, { kind: "ask", id, method, ...encoded });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  const methods = METHOD_NAMES.map((method) => {
    if (isWriting(method)) return [method, (...args: unknown[]) => write(method, args)];
    return [method, (...args: unknown[]) => ask(method, args)];
  });
  // The table has all methods of the port, and the other end calls those of the real engine.
  return Object.fromEntries(methods) as unknown as Questions;
}
