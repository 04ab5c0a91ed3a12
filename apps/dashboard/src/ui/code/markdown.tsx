import { Anchor } from "@mantine/core";
import ReactMarkdown, { type Components } from "react-markdown";
import classes from "./markdown.module.css";

const PARTS: Components = {
  a: ({ href, children }) => (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" underline="always" inherit>
      {children}
    </Anchor>
  ),
  // Images would be loaded from servers of others. Their descriptions stay.
  img: ({ alt }) => <span>{alt}</span>,
};

/** A text in Markdown that somebody else wrote. HTML in it is shown as text, and images are left out. */
export function Markdown({ text, isSmall = false }: { text: string; isSmall?: boolean }) {
  return (
    <div className={classes.markdown} data-small={isSmall || undefined}>
      <ReactMarkdown components={PARTS}>{text}</ReactMarkdown>
    </div>
  );
}
