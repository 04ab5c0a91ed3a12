import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./guide-pages.js";

const CALL = /guideBlock\(\s*"([^"]+)",\s*"([^"]+)",?\s*\)/g;
const LEFT_OUT = new Set(["node_modules", "dist", ".git"]);

/** The blocks that test files take by their name, as `page#name`. */
export function blocksNamedByTests(): Set<string> {
  const named = new Set<string>();
  for (const file of ["apps", "packages", "connector-apps", "e2e", "scripts", "bench"].flatMap(testFiles)) {
    for (const [, page, name] of readFileSync(file, "utf8").matchAll(CALL)) named.add(`${page}#${name}`);
  }
  return named;
}

function testFiles(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : testFiles(path);
    return entry.name.endsWith(".test.ts") ? [join(REPOSITORY, path)] : [];
  });
}
