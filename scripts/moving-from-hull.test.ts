import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, repository)), "utf8");

/** A comment of the page names the file of a test, and the name of the test: `<!-- e2e/x.test.ts: name -->`. */
const proofs = [...read("docs/moving-from-hull.md").matchAll(/<!--\s*(\S+\.ts): ([\s\S]*?)\s*-->/g)].map(
  ([, file = "", name = ""]) => ({ file, name: name.replaceAll(/\s+/g, " ") }),
);

test("the page about moving from Hull names tests that exist", () => {
  expect(proofs.length).toBeGreaterThan(30);
  for (const { file, name } of proofs) expect(read(file), file).toContain(name);
});
