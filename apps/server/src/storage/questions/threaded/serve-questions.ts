import type { MessagePort } from "node:worker_threads";
import { breatheFaster } from "../../../runtime/breather.js";
import { ownBytes } from "../../../runtime/own-bytes.js";
import type { Questions } from "../questions.js";
import { unpackArguments } from "./packed-arguments.js";
import { packError } from "./packed-error.js";
import { unpackWriting } from "./packed-writing.js";
import {
  type AnsweringMessage,
  type AskingMessage,
  METHODS,
  PIECES_AHEAD,
  type Question,
  type Writing,
} from "./question-messages.js";

type AnyMethod = (...args: unknown[]) => unknown;

/**
 * Answers the questions of another thread, which has the other end of the port (`threadedQuestions`). Writing pauses more
 * often while a question waits.
 */
export function serveQuestions(port: MessagePort, questions: Questions): void {
  const running = new Map<number, { abort(): void; more(): void }>();
  const post = (message: AnsweringMessage, buffers: ArrayBuffer[] = []) => port.postMessage(message, buffers);
  port.on("message", (message: AskingMessage) => {
    const question = running.get(message.id);
    if (message.kind === "ask") void answer(message);
    else if (message.kind === "write") void write(message);
    else if (message.kind === "more") question?.more();
    else question?.abort();
  });

  async function write({ id, method, packed }: Writing): Promise<void> {
    try {
      const args = await unpackWriting(method, packed);
      await (questions[method] as AnyMethod).apply(questions, args);
      post({ kind: "whole", id, value: undefined });
    } catch (error) {
      post({ kind: "error", id, error: packError(error) });
    }
  }

  async function answer({ id, method, ...packed }: Question): Promise<void> {
    const aborting = new AbortController();
    try {
      const args = unpackArguments(packed, aborting.signal);
      // The arguments are those of the same method of `threadedQuestions`.
      const call = (): unknown => (questions[method] as AnyMethod).apply(questions, args);
      if (METHODS[method] === "pieces") {
        await sendPieces(id, call() as AsyncIterable<Uint8Array>, aborting);
      } else {
        running.set(id, { abort: () => aborting.abort(), more() {} });
        const breatheNormally = breatheFaster();
        try {
          post({ kind: "whole", id, value: await call() });
        } finally {
          breatheNormally();
        }
      }
    } catch (error) {
      post({ kind: "error", id, error: packError(error) });
    } finally {
      running.delete(id);
    }
  }

  async function sendPieces(id: number, pieces: AsyncIterable<Uint8Array>, aborting: AbortController): Promise<void> {
    const { signal } = aborting;
    let allowed = PIECES_AHEAD;
    let wake = () => {};
    running.set(id, {
      abort() {
        aborting.abort();
        wake();
      },
      more() {
        allowed += 1;
        wake();
      },
    });
    for await (const piece of pieces) {
      if (signal.aborted) return;
      const value = ownBytes(piece);
      post({ kind: "piece", id, value }, [value.buffer]);
      allowed -= 1;
      while (allowed === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (signal.aborted) return;
    }
    post({ kind: "done", id });
  }
}
