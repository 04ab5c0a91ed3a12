import { sentenceOf } from "../../api/api-error.js";
import { createRequest } from "../state/create-request.js";

/** Sent when a note is to be shown. */
export const noteRequest = createRequest();

// The code that draws notes is loaded with the first note: no screen needs it to appear.

/** Says that a change was made, with a way to undo it. */
export function notifyDone(message: string, undo?: () => void): void {
  noteRequest.send();
  void import("./notes.js").then(({ showDone }) => showDone(message, undo));
}

/** Says that a change could not be made, and why. */
export function notifyFailed(error: unknown): void {
  noteRequest.send();
  void import("./notes.js").then(({ showFailed }) => showFailed(sentenceOf(error)));
}
