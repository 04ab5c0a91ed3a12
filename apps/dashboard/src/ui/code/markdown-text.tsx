import { Anchor } from "@mantine/core";
import { type ComponentType, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import classes from "./markdown.module.css";
import { markdownBreaks } from "./markdown-breaks.js";
import { markdownTables } from "./markdown-tables.js";

export interface MarkdownProps {
  text: string;
  isSmall?: boolean;
  /**
   * Shows an image. It must not let the browser load `src`, which is an address of others. Without it, the descriptions
   * of images stay.
   */
  Image?: ComponentType<{ src: string; alt: string }>;
}

const PLUGINS = [markdownTables, markdownBreaks];

export default function MarkdownText({ text, isSmall = false, Image }: MarkdownProps) {
  const parts = useMemo(() => partsWith(Image), [Image]);
  return (
    <div className={classes.markdown} data-small={isSmall || undefined}>
      <ReactMarkdown components={parts} remarkPlugins={PLUGINS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

function partsWith(Image: MarkdownProps["Image"]): Components {
  return {
    a: ({ href, children }) => (
      <Anchor href={href} target="_blank" rel="noopener noreferrer" underline="always" inherit>
        {children}
      </Anchor>
    ),
    img: ({ src, alt = "" }) =>
      Image && typeof src === "string" && src !== "" ? <Image src={src} alt={alt} /> : <span>{alt}</span>,
    table: ({ children }) => (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs, and several sections of one name confuse
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which people without a mouse must be able to do
      <div className={classes.table} role="group" aria-label="Table" tabIndex={0}>
        <table>{children}</table>
      </div>
    ),
  };
}
