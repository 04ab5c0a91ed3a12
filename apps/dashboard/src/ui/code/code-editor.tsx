import { type ComponentType, useCallback, useEffect, useRef, useState } from "react";
import type { CodeMirrorProps, FullEditorProps } from "./code-mirror.js";
import { PlainEditor } from "./plain-editor.js";
import { ReadOnlyCode } from "./read-only-code.js";

/**
 * An editor for code or JSON. Text can be read and typed at once. The full editor is larger than the rest of a screen,
 * so it is loaded when somebody comes near the text, or when there are problems to mark.
 */
export function CodeEditor(props: CodeMirrorProps) {
  const [Full, setFull] = useState<ComponentType<FullEditorProps>>();
  const plain = useRef<HTMLTextAreaElement>(null);
  // The plain editor stays in the page until the full one can take its place: somebody may be typing in it.
  const load = useCallback(() => {
    void import("./code-mirror.js").then((file) => setFull(() => file.default));
  }, []);
  const hasProblems = (props.problems?.length ?? 0) > 0;
  useEffect(() => {
    if (hasProblems) load();
  }, [hasProblems, load]);
  if (props.isReadOnly && !hasProblems) return <ReadOnlyCode {...props} />;
  return Full ? <Full {...props} takesOver={plain} /> : <PlainEditor {...props} ref={plain} onNear={load} />;
}
