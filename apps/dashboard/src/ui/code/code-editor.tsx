import { lazy, Suspense, useRef, useState } from "react";
import type { CodeMirrorProps } from "./code-mirror.js";
import { PlainEditor } from "./plain-editor.js";
import { ReadOnlyCode } from "./read-only-code.js";

const CodeMirror = lazy(() => import("./code-mirror.js"));

/**
 * An editor for code or JSON. Text can be read and typed at once. The full editor is larger than the rest of a screen,
 * so it is loaded when somebody comes near the text, or when there are problems to mark.
 */
export function CodeEditor(props: CodeMirrorProps) {
  const [isNear, setNear] = useState(false);
  const plain = useRef<HTMLTextAreaElement>(null);
  const hasProblems = (props.problems?.length ?? 0) > 0;
  if (props.isReadOnly && !hasProblems) return <ReadOnlyCode {...props} />;
  const before = <PlainEditor {...props} ref={plain} onNear={() => setNear(true)} />;
  if (!isNear && !hasProblems) return before;
  return (
    <Suspense fallback={before}>
      <CodeMirror {...props} takesOver={plain} />
    </Suspense>
  );
}
