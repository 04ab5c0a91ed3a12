interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

const LINE_BREAK = /^<br\s*\/?>$/i;
/** Emphasis, and tags without a meaning in a text. */
const PLAIN_TAG = /^<\/?(?:b|strong|i|em|u|p|div|span|center)\s*>$/i;

/** Authors of manifests write a little HTML into Markdown. Line breaks are kept, bare tags go, all other HTML stays as text. */
export function markdownBreaks(): (tree: Node) => void {
  return function readHtml({ children = [] }: Node): void {
    for (const [index, child] of [...children.entries()].toReversed()) {
      const html = child.type === "html" ? (child.value ?? "").trim() : "";
      if (LINE_BREAK.test(html)) children[index] = { type: "break" };
      else if (PLAIN_TAG.test(html)) children.splice(index, 1);
      else readHtml(child);
    }
  };
}
