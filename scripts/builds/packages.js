// Packs the libraries and the command into the archives that the server gives to npm (`/packages/client.tgz`, …). The declarations
// and the command must be built before.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesBelow } from "../packages/files-below.js";
import { readManifest } from "../packages/workspaces.js";
import { sourceFiles } from "./source-files.js";

/** Where the server looks for them. */
const FOLDER = "apps/server/packages";

/** @type {import("../packages/stage-library.js").Library[]} */
const LIBRARIES = [
  { workspace: "client", entries: { ".": "index" }, inlined: ["protocol"], platform: "node", hasCommonJs: true },
  {
    workspace: "connector",
    entries: { ".": "index", "./testing": "testing/index" },
    inlined: ["protocol", "client"],
    platform: "node",
  },
  { workspace: "browser", entries: { ".": "index" }, inlined: [], platform: "browser" },
];
const NAMES = [...LIBRARIES.map(({ workspace }) => workspace), "cli"];

/** @type {import("./freshness.js").Build} */
export const PACKAGES = {
  name: "packages",
  title: "the packages for npm",
  sources: () => [
    ...[...NAMES, "protocol"].flatMap((name) => [
      ...sourceFiles(`packages/${name}/src`),
      ...["package.json", "README.md"].map((file) => `packages/${name}/${file}`),
    ]),
    // With their tests, which are part of what they make.
    ...filesBelow("packages/cli/templates"),
    ...sourceFiles("scripts/packages"),
    "scripts/builds/packages.js",
    "packages/cli/bundle/main.js",
  ],
  outputs: NAMES.map((name) => `${FOLDER}/${name}.tgz`),
  run: build,
};

async function build() {
  const { stageLibrary } = await import("../packages/stage-library.js");
  const { stageCommand } = await import("../packages/stage-command.js");
  const staged = mkdtempSync(join(tmpdir(), "muster-packages-"));
  try {
    for (const library of LIBRARIES) await stageLibrary(library, join(staged, library.workspace));
    stageCommand(join(staged, "cli"));
    // npm writes the same bytes for the same files: in a fixed order, without the times and owners of this machine.
    const args = ["pack", "--silent", "--no-update-notifier", ...NAMES.map((name) => `./${name}`)];
    execFileSync("npm", args, { cwd: staged, stdio: ["ignore", "ignore", "inherit"] });
    mkdirSync(FOLDER, { recursive: true });
    for (const name of NAMES) publish(join(staged, archiveOf(name)), join(FOLDER, `${name}.tgz`));
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/**
 * The name that npm gives to an archive.
 *
 * @param {string} workspace
 */
function archiveOf(workspace) {
  const { name, version } = readManifest(workspace);
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/**
 * Replaces an archive at once: a server may be reading it, and another build may run beside this one.
 *
 * @param {string} from
 * @param {string} to
 */
function publish(from, to) {
  const copy = `${to}.${process.pid}`;
  copyFileSync(from, copy);
  renameSync(copy, to);
}
