import { readPage } from "./guide-pages.js";
import { readBlocks } from "./read-blocks.js";

/** The text of a block that has `<!-- block: NAME -->` before it, for the test that runs it. */
export function guideBlock(page: string, name: string): string {
  const { blocks } = readBlocks(page, readPage(page));
  const found = blocks.filter((block) => block.kind === "named" && block.name === name);
  const [block] = found;
  if (block === undefined || found.length > 1) {
    throw new Error(`${page} has ${found.length} blocks with the name "${name}", where one was expected.`);
  }
  return block.text;
}
