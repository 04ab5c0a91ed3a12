import { sentenceOf } from "../../api/api-error.js";
import { requestNotes } from "./note-request.js";

// The code that draws notes is loaded with the first note: no screen needs it to appear.

/** Says that a change was made, with a way to undo it. */
export function notifyDone(message: string, undo?: () => void): void {
  requestNotes();
  void import("./notes.js").then(({ showDone }) => showDone(message, undo));
}

/** Says that a change could not be made, and why. */
export function notifyFailed(error: unknown): void {
  requestNotes();
  void import("./notes.js").then(({ showFailed }) => showFailed(sentenceOf(error)));
}
