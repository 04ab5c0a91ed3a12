import { posix } from "node:path";
import createMarkdownIt, { type MarkdownIt, type Token } from "markdown-it";
import type { SpareTime } from "../../../runtime/loops/spare-time.js";

/** A heading and the text below it, up to the next heading. */
export interface GuideSection {
  /** The anchor of the heading. Empty for the page itself. */
  anchor: string;
  title: string;
  text: string;
}

export interface RenderedPage {
  title: string;
  html: string;
  sections: GuideSection[];
}

/** What the pieces of one page share. */
type Environment = {
  path: string;
  /** How many headings have each anchor. */
  anchors: Map<string, number>;
};

/** Stands above what the block before prints. */
const OUTPUT = "prints";
const OUTPUT_LANGUAGES = new Set(["json", "text"]);

const markdown = createMarkdown();

/**
 * Renders a page, with pauses: anybody may ask for one, and a long page takes longer than a request may hold the event
 * loop. `path` is its path below the folder of the guides, without the extension.
 */
export async function renderMarkdown(path: string, source: string, spare: SpareTime): Promise<RenderedPage> {
  const environment: Environment = { path, anchors: new Map() };
  const tokens: Token[] = [];
  for (const piece of splitAtHeadings(source)) {
    if (spare.isPauseDue) await spare.pause();
    tokens.push(...markdown.parse(piece, environment));
  }
  const sections = readSections(tokens);
  await spare.pause();
  return {
    title: sections.find(({ title }) => title !== "")?.title ?? path,
    html: markdown.renderer.render(tokens, markdown.options, environment),
    sections,
  };
}

/** The pieces of a page that begin with a heading, which the parser can read one by one. */
function splitAtHeadings(source: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let fence = "";
  for (const { 0: line, index } of source.matchAll(/^(?:#{2,3} |`{3,}|~{3,})/gm)) {
    if (line.startsWith("#")) {
      if (fence !== "") continue;
      pieces.push(source.slice(start, index));
      start = index;
    } else if (fence === "") fence = line;
    else if (line.startsWith(fence)) fence = "";
  }
  return [...pieces, source.slice(start)];
}

/** The links of a list of pages: what each leads to, its words, and the heading above it. */
export function readLinks(source: string): { heading: string; title: string; href: string }[] {
  const links: { heading: string; title: string; href: string }[] = [];
  let heading = "";
  const environment: Environment = { path: "", anchors: new Map() };
  const tokens = markdown.parse(source, environment);
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") heading = textOf(tokens[index + 1]);
    if (token.type !== "inline" || tokens[index - 2]?.type !== "list_item_open") continue;
    const [first, ...rest] = token.children ?? [];
    if (first?.type !== "link_open") continue;
    const words = rest.slice(
      0,
      rest.findIndex(({ type }) => type === "link_close"),
    );
    links.push({ heading, title: words.map(({ content }) => content).join(""), href: attribute(first, "href") });
  }
  return links;
}

/** Where a link of a page leads: the address of a page or a file of the guides, or undefined when it is outside. */
export function resolveLink(path: string, href: string): string | undefined {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const target = posix.normalize(posix.join(posix.dirname(path), file));
  if (target.startsWith("../")) return undefined;
  const address = target.replace(/(^|\/)README\.md$/, "").replace(/\.md$/, "");
  return `/guide${address === "" ? "" : `/${address}`}${anchor === undefined ? "" : `#${anchor}`}`;
}

function createMarkdown(): MarkdownIt {
  const made = createMarkdownIt({ html: true });
  const { rules } = made.renderer;
  const { escapeHtml } = made.utils;
  made.core.ruler.push("anchors", ({ tokens, env }) => addAnchors(tokens, (env as Environment).anchors));
  made.core.ruler.push("links", ({ tokens, env }) => resolveLinks(tokens, String(env.path)));
  rules.html_block = (tokens, index) => (tokens[index]?.content ?? "").replace(/<!--.*?-->\s*/gs, "");
  rules.heading_open = (tokens, index) => {
    const token = tokens[index];
    return `<${token?.tag} id="${escapeHtml(attribute(token, "id"))}">`;
  };
  rules.heading_close = (tokens, index) => {
    const tag = tokens[index]?.tag;
    const anchor = escapeHtml(attribute(tokens[index - 2], "id"));
    const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
    return tag === "h1" ? "</h1>\n" : ` ${link}</${tag}>\n`;
  };
  // Wide tables scroll in a box of their own, which the keyboard can reach.
  rules.table_open = () => '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>\n';
  rules.table_close = () => "</table></div>\n";
  // Long names break where their words end, not inside one.
  rules.code_inline = (tokens, index) => {
    const code = escapeHtml(tokens[index]?.content ?? "");
    return `<code>${code.replace(/(?<=\w)[_./:,]+(?=\w)/g, "$&<wbr>")}</code>`;
  };
  rules.fence = (tokens, index) => {
    const caption = captionOf(tokens, index);
    const code = escapeHtml(tokens[index]?.content ?? "");
    const head = caption === "" ? "" : `<figcaption>${escapeHtml(caption)}</figcaption>`;
    return `<figure class="code${caption === OUTPUT ? " output" : ""}">${head}<pre tabindex="0"><code>${code}</code></pre></figure>\n`;
  };
  return made;
}

/** What stands above a block of code: the name of its file, or that it is what the block before it prints. */
function captionOf(tokens: readonly Token[], index: number): string {
  const [language = "", ...name] = (tokens[index]?.info ?? "").trim().split(/\s+/);
  if (name.length > 0) return name.join(" ");
  const before = tokens.slice(0, index).findLast(({ type }) => type === "fence");
  return OUTPUT_LANGUAGES.has(language) && before?.info.trim() === "sh" ? OUTPUT : "";
}

/** Gives every heading an anchor, the same that code hosts give it. */
function addAnchors(tokens: readonly Token[], used: Map<string, number>): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "heading_open") continue;
    const words = textOf(tokens[index + 1]).toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    token.attrSet("id", count === 0 ? anchor : `${anchor}-${count}`);
  }
}

/** Makes relative links addresses of the server. What is outside the guides is named instead of linked. */
function resolveLinks(tokens: readonly Token[], path: string): void {
  for (const { children } of tokens) {
    for (const token of children ?? []) {
      if (token.type === "image") token.attrSet("src", resolveLink(path, attribute(token, "src")) ?? "");
      if (token.type !== "link_open") continue;
      const href = attribute(token, "href");
      const address = resolveLink(path, href);
      if (address !== undefined) token.attrSet("href", address);
      else leaveOut(token, children ?? [], posix.join(posix.dirname(path), href).replace(/^(\.\.\/)+/, ""));
    }
  }
}

function leaveOut(open: Token, siblings: readonly Token[], file: string): void {
  const close = siblings.find((token, index) => token.type === "link_close" && index > siblings.indexOf(open));
  for (const token of [open, ...(close ? [close] : [])]) {
    token.tag = "span";
    token.attrs = token === open ? [["title", `${file}, in the repository`]] : null;
  }
}

function readSections(tokens: readonly Token[]): GuideSection[] {
  const sections: GuideSection[] = [{ anchor: "", title: "", text: "" }];
  for (const [index, token] of tokens.entries()) {
    if (tokens[index - 1]?.type === "heading_open") {
      const heading = tokens[index - 1];
      const title = textOf(token);
      // The first heading is the title of the page; what follows it belongs to the page itself.
      if (heading?.tag === "h1" && sections.length === 1) sections[0] = { anchor: "", title, text: "" };
      else sections.push({ anchor: attribute(heading, "id"), title, text: "" });
      continue;
    }
    const section = sections.at(-1);
    if (section && token.type === "inline") section.text += `${textOf(token)} `;
    if (section && token.type === "fence") section.text += `${token.content} `;
  }
  return sections;
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
}

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? "");
}
