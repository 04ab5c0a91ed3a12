import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, repository)), "utf8");

/** A comment of a page names the file of a test, and the name of the test: `<!-- e2e/x.test.ts: name -->`. */
function proofsOf(page: string): { file: string; name: string }[] {
  return [...read(page).matchAll(/<!--\s*(\S+\.ts): ([\s\S]*?)\s*-->/g)].map(([, file = "", name = ""]) => ({
    file,
    name: name.replaceAll(/\s+/g, " "),
  }));
}

test.each([
  ["docs/moving-from-hull.md", 30],
  ["docs/security.md", 15],
])("%s names tests that exist", (page, least) => {
  const proofs = proofsOf(page);
  expect(proofs.length).toBeGreaterThan(least);
  for (const { file, name } of proofs) expect(read(file), file).toContain(name);
});
