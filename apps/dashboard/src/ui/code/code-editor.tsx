import { type ComponentType, useCallback, useEffect, useRef, useState } from "react";
import type { CodeMirrorProps, FullEditorProps } from "./code-mirror.js";
import { PlainEditor } from "./plain-editor.js";
import { ReadOnlyCode } from "./read-only-code.js";

/** Somebody who has not typed for so long does not notice that another editor takes the place of the first one. */
const PAUSE_MS = 400;

/**
 * An editor for code or JSON. Text can be read and typed at once. The full editor is larger than the rest of a screen,
 * so it is loaded when somebody comes near the text, or when there are problems to mark.
 */
export function CodeEditor(props: CodeMirrorProps) {
  const { onChange } = props;
  const [Full, setFull] = useState<ComponentType<FullEditorProps>>();
  const plain = useRef<HTMLTextAreaElement>(null);
  const typedAt = useRef(0);
  const noteTyping = () => {
    typedAt.current = Date.now();
  };
  const load = useCallback(async () => {
    const { default: loaded } = await import("./code-mirror.js");
    // A letter that is typed while one editor replaces the other would be lost.
    const swap = () => {
      const isFocused = plain.current !== null && plain.current === document.activeElement;
      const pause = Date.now() - typedAt.current;
      if (isFocused && pause < PAUSE_MS) setTimeout(swap, PAUSE_MS - pause);
      else setFull(() => loaded);
    };
    swap();
  }, []);
  const hasProblems = (props.problems?.length ?? 0) > 0;
  useEffect(() => {
    if (hasProblems) void load();
  }, [hasProblems, load]);
  if (props.isReadOnly && !hasProblems) return <ReadOnlyCode {...props} />;
  if (Full) return <Full {...props} takesOver={plain} />;
  return (
    <PlainEditor
      {...props}
      ref={plain}
      onNear={() => void load()}
      onFocus={noteTyping}
      onChange={(text) => {
        noteTyping();
        onChange?.(text);
      }}
    />
  );
}
