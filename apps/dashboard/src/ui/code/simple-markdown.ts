/** A piece of a text: plain, or with one mark. */
export interface TextPiece {
  kind: "text" | "link" | "strong" | "code";
  text: string;
  href?: string;
}

const MARKED = /\[(?<link>[^\][]+)\]\((?<href>https?:\/\/[^\s()]+)\)|\*\*(?<strong>[^*\n]+)\*\*|`(?<code>[^`\n]+)`/g;
/** What could mean something in Markdown that is not read here. */
const OTHER_MARKS = /[*`[\]<>#|\\&~]|\n|(?:^|\W)_|_(?:\W|$)|^\s*(?:[-+]|\d+[.)])\s|^\s{4}|!$/;

/**
 * The pieces of a paragraph with links, strong words and code, which most descriptions of settings are. Undefined when the
 * text has other Markdown: reading all of Markdown needs a library as large as a screen.
 */
export function readSimpleMarkdown(text: string): TextPiece[] | undefined {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKED)) {
    pieces.push({ kind: "text", text: text.slice(end, match.index) });
    const { link, href = "", strong, code } = match.groups ?? {};
    if (link !== undefined) pieces.push({ kind: "link", text: link, href });
    else if (strong !== undefined) pieces.push({ kind: "strong", text: strong });
    else pieces.push({ kind: "code", text: code ?? "" });
    end = match.index + match[0].length;
  }
  pieces.push({ kind: "text", text: text.slice(end) });
  const isSimple = pieces.every(({ kind, text: words }) => kind === "code" || !OTHER_MARKS.test(words));
  return isSimple ? pieces.filter(({ text: words }) => words !== "") : undefined;
}
