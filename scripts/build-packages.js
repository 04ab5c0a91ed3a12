// Packs the libraries and the command into the archives that the server gives to npm (`/packages/client.tgz`, …), when a
// source is newer than an archive. Run `tsc -b` and build-programs.js before: the declarations and the command come from there.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesBelow } from "./packages/files-below.js";
import { readManifest } from "./packages/workspaces.js";

process.chdir(fileURLToPath(new URL("../", import.meta.url)));

/** Where the server looks for them. */
const FOLDER = "apps/server/packages";

/** @type {import("./packages/stage-library.js").Library[]} */
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

if (isStale()) await build();

function isStale() {
  const built = Math.min(...NAMES.map((name) => timeOf(join(FOLDER, `${name}.tgz`))));
  const sources = [...NAMES, "protocol"].flatMap((name) => [
    ...["src", "templates"].flatMap((folder) => filesBelow(join("packages", name, folder))),
    ...["package.json", "README.md"].map((file) => join("packages", name, file)),
  ]);
  const tools = [...filesBelow("scripts/packages"), "scripts/build-packages.js"];
  return [...sources, ...tools, "packages/cli/bundle/main.js"].some((file) => timeOf(file) > built);
}

async function build() {
  const startedAt = new Date();
  const { stageLibrary } = await import("./packages/stage-library.js");
  const { stageCommand } = await import("./packages/stage-command.js");
  const staged = mkdtempSync(join(tmpdir(), "muster-packages-"));
  try {
    for (const library of LIBRARIES) await stageLibrary(library, join(staged, library.workspace));
    stageCommand(join(staged, "cli"));
    // npm writes the same bytes for the same files: in a fixed order, without the times and owners of this machine.
    const args = ["pack", "--silent", "--no-update-notifier", ...NAMES.map((name) => `./${name}`)];
    execFileSync("npm", args, { cwd: staged, stdio: ["ignore", "ignore", "inherit"] });
    mkdirSync(FOLDER, { recursive: true });
    for (const name of NAMES) publish(join(staged, archiveOf(name)), join(FOLDER, `${name}.tgz`), startedAt);
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
 * @param {Date} startedAt a source that was changed during the build is newer than its archive
 */
function publish(from, to, startedAt) {
  const copy = `${to}.${process.pid}`;
  copyFileSync(from, copy);
  utimesSync(copy, startedAt, startedAt);
  renameSync(copy, to);
}

/** @param {string} file */
function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
