import { readdirSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./freshness.js";

/**
 * The files of a folder and its folders that something is built from: all but tests. None when the folder is missing.
 *
 * @param {string} folder relative to the repository
 * @returns {string[]} relative to the repository too
 */
export function sourceFiles(folder) {
  /** @type {import("node:fs").Dirent[]} */
  let entries;
  try {
    entries = readdirSync(join(REPOSITORY, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.includes(".test.") ? [] : [path];
  });
}
