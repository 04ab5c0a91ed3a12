import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The paths of all files in a folder and its folders; none when the folder is missing.
 *
 * @param {string} folder
 */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
