import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = new URL("../", import.meta.url);
const decisions = (await readdir(new URL("docs/decisions/", repository))).map((name) => `docs/decisions/${name}`);
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "apps/server/src/README.md",
  ...decisions,
];

/** Paths in backquotes that name a folder and a file or folder in it. Code blocks are left out. */
function pathsIn(text: string): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, "");
  return [...prose.matchAll(/`([a-z.][\w.-]*(?:\/[\w.-]+)*\/?)`/g)]
    .map(([, path]) => path ?? "")
    .filter((path) => /\/.*\.(ts|js|json|md|sql|yml)$|\/$/.test(path));
}

test.each(pages)("every path that %s names exists", async (page) => {
  const paths = pathsIn(await readFile(new URL(page, repository), "utf8"));
  const exists = (path: string) =>
    ["", "apps/server/src/"].some((base) => existsSync(fileURLToPath(new URL(base + path, repository))));
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});

test("paths are found in prose and not in code blocks", () => {
  expect(pathsIn("See `http/app.ts` and `storage/`, not `npm run check`.\n```\n`a/b.ts`\n```\n")).toEqual([
    "http/app.ts",
    "storage/",
  ]);
});
