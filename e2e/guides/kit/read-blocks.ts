import MarkdownIt from "markdown-it";

export type BlockKind = "run" | "file" | "output" | "query" | "predicate" | "named";

/** A fenced block of a page, and what the tests do with it. */
export interface Block {
  kind: BlockKind;
  page: string;
  /** The line of its fence, counted from 1. */
  line: number;
  language: string;
  /** The name of the file, or the name that another test uses for the block. Else empty. */
  name: string;
  text: string;
}

export interface PageBlocks {
  blocks: Block[];
  /** Blocks that no test can run, as sentences. */
  problems: string[];
}

const MARKDOWN = new MarkdownIt({ html: true });
const NAMED = /^\s*<!--\s*block:\s*(\S+)\s*-->\s*$/;
const OUTPUT_LANGUAGES = new Set(["json", "text"]);

/** Finds the blocks of a page in order, also those inside lists and quotes. */
export function readBlocks(page: string, markdown: string): PageBlocks {
  const blocks: Block[] = [];
  const problems: string[] = [];
  let comment = "";
  for (const token of MARKDOWN.parse(markdown, {})) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (token.type === "code_block") {
      problems.push(`${page}:${line}: code is in a fenced block, not indented.`);
    }
    if (token.type === "fence") {
      const [language = "", ...rest] = token.info.trim().split(/\s+/);
      const info = { page, line, language, text: token.content };
      const read = readKind(language, rest.join(" "), NAMED.exec(comment)?.[1], blocks.at(-1));
      if ("problem" in read) problems.push(`${page}:${line}: ${read.problem}`);
      else blocks.push({ ...info, ...read });
    }
    comment = token.type === "html_block" ? token.content : "";
  }
  for (const unused of blocks.filter((block) => block.kind === "file" && !isUsed(block, blocks))) {
    problems.push(`${page}:${unused.line}: no later sh block uses the file ${unused.name}.`);
  }
  return { blocks, problems };
}

function readKind(
  language: string,
  rest: string,
  named: string | undefined,
  before: Block | undefined,
): Pick<Block, "kind" | "name"> | { problem: string } {
  if (named !== undefined) return { kind: "named", name: named };
  if (language === "json" && (rest === "query" || rest === "predicate")) return { kind: rest, name: "" };
  if (language !== "" && rest !== "") {
    return /^[\w@][\w@./-]*$/.test(rest) && !rest.includes("..")
      ? { kind: "file", name: rest }
      : { problem: `"${rest}" is not the name of a file.` };
  }
  if (language === "sh") return { kind: "run", name: "" };
  if (OUTPUT_LANGUAGES.has(language)) {
    return before?.kind === "run" || before?.kind === "query"
      ? { kind: "output", name: "" }
      : { problem: "the expected output comes directly after the sh block that prints it." };
  }
  return { problem: `a block "${language}" without a name is run by no test.` };
}

function isUsed(file: Block, blocks: readonly Block[]): boolean {
  return blocks.some(
    (block) =>
      (block.kind === "run" || block.kind === "named" ? block.line > file.line : block.kind === "file") &&
      block !== file &&
      block.text.includes(file.name),
  );
}
