import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
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
  "bench/README.md",
  "packages/browser/README.md",
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
    ["", "apps/server/src/", `${dirname(page)}/`].some((base) =>
      existsSync(fileURLToPath(new URL(base + path, repository))),
    );
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});

test.each(pages)("every script that %s names is in package.json", async (page) => {
  const { scripts } = JSON.parse(await readFile(new URL("package.json", repository), "utf8")) as { scripts: object };
  const text = await readFile(new URL(page, repository), "utf8");
  const named = [...text.matchAll(/`npm run ([\w:-]+)/g)].map(([, name]) => name ?? "");
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("bench/README.md has a row for every bench", async () => {
  const names = [...(await readFile(new URL("bench/src/benches.ts", repository), "utf8")).matchAll(/^ {2}(\w+):/gm)];
  const text = await readFile(new URL("bench/README.md", repository), "utf8");
  expect(names.length).toBeGreaterThan(10);
  expect(names.map(([, name]) => name).filter((name) => !text.includes(`| \`${name}\` |`))).toEqual([]);
});

test("paths are found in prose and not in code blocks", () => {
  expect(pathsIn("See `http/app.ts` and `storage/`, not `npm run check`.\n```\n`a/b.ts`\n```\n")).toEqual([
    "http/app.ts",
    "storage/",
  ]);
});
