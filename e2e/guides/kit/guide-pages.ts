import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** The pages whose blocks are run: all guides, the first page of the repository, and the pages of the examples. */
export function guidePages(): string[] {
  const guides = markdownFiles("docs").filter((path) => !path.startsWith("docs/decisions/"));
  const examples = markdownFiles("examples").filter((path) => !path.includes("/node_modules/"));
  return ["README.md", ...guides, ...examples].sort();
}

export function readPage(path: string): string {
  return readFileSync(`${REPOSITORY}${path}`, "utf8");
}

function markdownFiles(folder: string): string[] {
  return readdirSync(`${REPOSITORY}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `${folder}/${path}`);
}
