import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { withoutMap } from "./collect-types.js";
import { filesBelow } from "./files-below.js";
import { stageFile, stageManifest } from "./stage-file.js";
import { readManifest } from "./workspaces.js";

const SOURCE = "packages/cli";
const PARTS = ["bin", "bundle", "templates"];

/**
 * Writes the command into a folder as it is packed: its bundle, which has no dependencies.
 *
 * @param {string} folder
 */
export function stageCommand(folder) {
  for (const file of PARTS.flatMap((part) => filesBelow(`${SOURCE}/${part}`))) {
    if (!file.endsWith(".map")) stageFile(folder, relative(SOURCE, file), withoutMap(readFileSync(file, "utf8")));
  }
  const { bin } = readManifest("cli");
  stageManifest(folder, { workspace: "cli", inlined: [], imported: new Set(), entry: { bin, files: PARTS } });
}
