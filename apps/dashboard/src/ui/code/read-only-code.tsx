import { CodeColours } from "./code-colours.js";
import type { CodeMirrorProps } from "./code-mirror.js";
import classes from "./plain-code.module.css";

/** Code or JSON to read. */
export function ReadOnlyCode({ value, label, minHeight = "2rem" }: CodeMirrorProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a textarea cannot show text in colours
    <div
      className={`${classes.frame} ${classes.text}`}
      style={{ minHeight }}
      role="textbox"
      aria-readonly
      aria-multiline
      aria-label={label}
      tabIndex={0}
    >
      <CodeColours text={value} />
    </div>
  );
}
