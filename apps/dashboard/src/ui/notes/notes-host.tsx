import { lazy, Suspense, useEffect, useState } from "react";
import { noteRequest } from "./notify-done.js";

const Notes = lazy(() => import("./notes.js"));

/** The place of the notes at the bottom of the window. */
export function NotesHost() {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => noteRequest.listen(() => setNeeded(true)), []);
  if (!isNeeded) return null;
  return (
    <Suspense fallback={null}>
      <Notes />
    </Suspense>
  );
}
