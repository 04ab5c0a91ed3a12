import { CopyText } from "../text/copy-text.js";
import classes from "./code-block.module.css";

/** Text to paste somewhere else, with a button that copies it. The label says what it is, such as "the script tag". */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.block}>
      <pre className={classes.text}>{text}</pre>
      <div className={classes.copy}>
        <CopyText text={text} label={`Copy ${label}`} />
      </div>
    </div>
  );
}
