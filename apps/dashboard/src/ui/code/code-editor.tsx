import { lazy, Suspense } from "react";
import type { CodeMirrorProps } from "./code-mirror.js";

const CodeMirror = lazy(() => import("./code-mirror.js"));

/** An editor for code or JSON. It is loaded when it is first shown. */
export function CodeEditor(props: CodeMirrorProps) {
  return (
    <Suspense fallback={null}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
