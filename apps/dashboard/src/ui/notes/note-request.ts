const requests = new EventTarget();

/** Says that a note is to be shown. */
export function requestNotes(): void {
  requests.dispatchEvent(new Event("note"));
}

/** Calls `show` at each note, until the returned function is called. */
export function onNoteRequest(show: () => void): () => void {
  requests.addEventListener("note", show);
  return () => requests.removeEventListener("note", show);
}
