import { lazy, Suspense } from "react";
import type { MarkdownProps } from "./markdown-text.js";

const MarkdownText = lazy(() => import("./markdown-text.js"));

/**
 * A text in Markdown that somebody else wrote. HTML in it is shown as text, but for line breaks. What reads Markdown is
 * loaded with the first such text.
 */
export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={null}>
      <MarkdownText {...props} />
    </Suspense>
  );
}
