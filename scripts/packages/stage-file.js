import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { servedManifest } from "./served-manifest.js";

/**
 * @param {string} folder
 * @param {string} path
 * @param {string} text
 */
export function stageFile(folder, path, text) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * Writes package.json, and copies what every package comes with.
 *
 * @param {string} folder
 * @param {Parameters<typeof servedManifest>[0]} options
 */
export function stageManifest(folder, options) {
  stageFile(folder, "package.json", `${JSON.stringify(servedManifest(options), null, 2)}\n`);
  for (const name of ["LICENSE", "README.md"]) cpSync(join("packages", options.workspace, name), join(folder, name));
}
