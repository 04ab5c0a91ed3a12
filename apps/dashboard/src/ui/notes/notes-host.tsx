import { Suspense, useEffect, useState } from "react";
import { lazyPart } from "../state/lazy-part.js";
import { noteRequest } from "./notify-done.js";

const Notes = lazyPart(() => import("./notes.js"), "default");

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
