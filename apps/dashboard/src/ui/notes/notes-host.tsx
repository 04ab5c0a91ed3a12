import { lazy, Suspense, useEffect, useState } from "react";
import { onNoteRequest } from "./note-request.js";

const Notes = lazy(() => import("./notes.js"));

/** The place of the notes at the bottom of the window. */
export function NotesHost() {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => onNoteRequest(() => setNeeded(true)), []);
  if (!isNeeded) return null;
  return (
    <Suspense fallback={null}>
      <Notes />
    </Suspense>
  );
}
