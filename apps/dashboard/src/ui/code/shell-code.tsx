import { CopyText } from "../text/copy-text.js";
import classes from "./shell-code.module.css";

/** A command or a snippet to copy. */
export function ShellCode({ text }: { text: string }) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also with the keyboard */}
      <pre className={classes.text} tabIndex={0}>
        {text}
      </pre>
      <CopyText text={text} label="Copy the text" />
    </div>
  );
}
