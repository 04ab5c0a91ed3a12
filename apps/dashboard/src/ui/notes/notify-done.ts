import { sentenceOf } from "../../api/api-error.js";
import { createRequest } from "../state/create-request.js";

/** Sent when a note is to be shown. */
export const noteRequest = createRequest();

/** Takes a change back. When that fails, a note says why. */
type Undo = () => unknown;
type Words<Result> = string | ((result: Result) => string);

// The code that draws notes is loaded with the first note: no screen needs it to appear.

/** Says that a change was made, with a way to undo it. */
export function notifyDone(message: string, undo?: Undo): void {
  const takeBack = undo && (() => void Promise.resolve(undo()).catch(notifyFailed));
  noteRequest.send();
  void import("./notes.js").then(({ showDone }) => showDone(message, takeBack));
}

/** Says that a change could not be made, and why. */
export function notifyFailed(error: unknown): void {
  noteRequest.send();
  void import("./notes.js").then(({ showFailed }) => showFailed(sentenceOf(error)));
}

// Both wait for the promise of `mutateAsync`: the callbacks of `mutate` are not called any more when somebody has left the
// screen, or closed the form, before the answer.

/** Says what becomes of a change: that it was made, or why it could not be made. */
export function notifyOutcome<Result>(change: Promise<Result>, done: Words<Result>, undo?: Undo): void {
  void change.then((result) => notifyDone(wordsOf(done, result), undo), notifyFailed);
}

/** Says that a change was made, when it is. The form that makes it shows itself why it was refused. */
export function notifyWhenDone<Result>(change: Promise<Result>, done: Words<Result>): void {
  void change.then(
    (result) => notifyDone(wordsOf(done, result)),
    () => undefined,
  );
}

function wordsOf<Result>(done: Words<Result>, result: Result): string {
  return typeof done === "string" ? done : done(result);
}
