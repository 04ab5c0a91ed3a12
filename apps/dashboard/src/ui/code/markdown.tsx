import { Anchor } from "@mantine/core";
import { Suspense } from "react";
import { lazyPart } from "../state/lazy-part.js";
import classes from "./markdown.module.css";
import type { MarkdownProps } from "./markdown-text.js";
import { readSimpleMarkdown, type TextPiece } from "./simple-markdown.js";

const MarkdownText = lazyPart(() => import("./markdown-text.js"), "default");

/**
 * A text in Markdown that somebody else wrote. HTML in it is shown as text, but for line breaks. The library is loaded
 * with the first text that is more than a paragraph.
 */
export function Markdown(props: MarkdownProps) {
  const pieces = readSimpleMarkdown(props.text);
  if (pieces) {
    return (
      <div className={classes.markdown} data-small={props.isSmall || undefined}>
        <p>
          {pieces.map((piece, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text do not move
            <Piece key={index} {...piece} />
          ))}
        </p>
      </div>
    );
  }
  return (
    <Suspense fallback={null}>
      <MarkdownText {...props} />
    </Suspense>
  );
}

function Piece({ kind, text, href }: TextPiece) {
  switch (kind) {
    case "text":
      return text;
    case "strong":
      return <strong>{text}</strong>;
    case "code":
      return <code>{text}</code>;
    case "link":
      return (
        <Anchor href={href} target="_blank" rel="noopener noreferrer" underline="always" inherit>
          {text}
        </Anchor>
      );
  }
}
