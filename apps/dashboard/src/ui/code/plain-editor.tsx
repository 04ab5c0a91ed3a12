import type { Ref } from "react";
import { CodeColours } from "./code-colours.js";
import type { CodeMirrorProps } from "./code-mirror.js";
import classes from "./plain-code.module.css";

interface PlainEditorProps extends CodeMirrorProps {
  ref: Ref<HTMLTextAreaElement>;
  /** Called when the pointer or the focus comes to the text. */
  onNear: () => void;
  onFocus: () => void;
}

/** Text that can be typed. Its letters are transparent: the coloured text below shows through. */
export function PlainEditor({ value, onChange, label, minHeight = "8rem", ref, onNear, onFocus }: PlainEditorProps) {
  return (
    <div className={classes.frame} style={{ minHeight }} onPointerEnter={onNear}>
      <pre className={classes.text} aria-hidden>
        <CodeColours text={value} />
        {"\n"}
      </pre>
      <textarea
        ref={ref}
        className={classes.input}
        aria-label={label}
        value={value}
        spellCheck={false}
        onFocus={() => {
          onFocus();
          onNear();
        }}
        onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
      />
    </div>
  );
}
