// Packs the libraries and the command into the archives that the server gives to npm (`/packages/client.tgz`, …), when a
// source is newer than an archive. With --background the build goes on beside the caller: `npm start` does not wait for it.
// `tsc -b packages/client packages/connector packages/browser`, build-programs.js and build-browser.js run before.

import { execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { collectTypes, withoutMap } from "./packages/collect-types.js";
import { servedManifest } from "./packages/served-manifest.js";
import { packageOf, readManifest } from "./packages/workspaces.js";

process.chdir(fileURLToPath(new URL("../", import.meta.url)));

/** Where the server looks for them. */
const FOLDER = "apps/server/packages";

/**
 * @typedef {object} Library
 * @property {string} workspace its name without the scope
 * @property {Record<string, string>} entries the file below `src` of each export, without its extension
 * @property {readonly string[]} inlined other packages of ours whose code it contains
 * @property {"node" | "browser"} platform
 * @property {boolean} [hasCommonJs] whether it has a CommonJS build; ES modules are loaded by `require` too, from Node 20.19 on
 */

/** @type {Library[]} */
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
/** The command is one bundle without dependencies. */
const COMMAND = "cli";
const COMMAND_FILES = ["bin", "bundle", "templates"];
const NAMES = [...LIBRARIES.map(({ workspace }) => workspace), COMMAND];

if (process.argv.includes("--builder") || (isStale() && !process.argv.includes("--background"))) await build();
else if (isStale())
  spawn(process.execPath, [fileURLToPath(import.meta.url), "--builder"], { stdio: "inherit" }).unref();

function isStale() {
  const built = Math.min(...NAMES.map((name) => timeOf(join(FOLDER, `${name}.tgz`))));
  const sources = [...NAMES, "protocol"].flatMap((name) =>
    ["src", "templates"].flatMap((folder) => filesBelow(join("packages", name, folder))),
  );
  const single = NAMES.flatMap((name) => ["package.json", "README.md"].map((file) => join("packages", name, file)));
  const tools = [...filesBelow("scripts/packages"), "scripts/build-packages.js"];
  const command = join("packages", COMMAND, "bundle/main.js");
  return [...sources, ...single, ...tools, command, "LICENSE"].some((file) => timeOf(file) > built);
}

async function build() {
  const startedAt = new Date();
  const staged = mkdtempSync(join(tmpdir(), "muster-packages-"));
  try {
    for (const library of LIBRARIES) await stageLibrary(library, join(staged, library.workspace));
    stageCommand(join(staged, COMMAND));
    pack(staged);
    mkdirSync(FOLDER, { recursive: true });
    for (const name of NAMES) publish(join(staged, archiveOf(name)), join(FOLDER, `${name}.tgz`), startedAt);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/**
 * One file of code for each entry, and the declarations of all of them.
 *
 * @param {Library} library
 * @param {string} folder
 */
async function stageLibrary({ workspace, entries, inlined, platform, hasCommonJs }, folder) {
  const { build: bundle } = await import("rolldown");
  /** @type {Set<string>} */
  const imported = new Set();
  for (const format of /** @type {const} */ (hasCommonJs ? ["esm", "cjs"] : ["esm"])) {
    const extension = format === "esm" ? "js" : "cjs";
    const { output } = await bundle({
      cwd: resolve("packages", workspace),
      input: Object.fromEntries(Object.values(entries).map((entry) => [entry, `./src/${entry}.ts`])),
      platform,
      external: (id) => !/^[./]|^@muster\//.test(id),
      tsconfig: false,
      resolve: { conditionNames: ["@muster/source", "import"] },
      output: {
        dir: join(folder, "dist"),
        format,
        entryFileNames: `[name].${extension}`,
        chunkFileNames: `[name].${extension}`,
      },
      logLevel: "warn",
    });
    for (const file of output) {
      if (file.type !== "chunk") continue;
      for (const id of [...file.imports, ...file.dynamicImports]) {
        if (!output.some(({ fileName }) => fileName === id)) imported.add(packageOf(id));
      }
    }
  }
  const types = collectTypes(
    workspace,
    Object.values(entries).map((entry) => `${entry}.d.ts`),
  );
  for (const [path, text] of types.files) write(join(folder, "dist/types", path), text);
  if (hasCommonJs) write(join(folder, "dist/index.d.cts"), `export * from "./types/${workspace}/index.js";\n`);
  const exports = Object.fromEntries(
    Object.entries(entries).map(([subpath, entry]) => [subpath, exportOf(workspace, entry, hasCommonJs)]),
  );
  const main = hasCommonJs ? { main: "./dist/index.cjs" } : {};
  for (const name of types.imported) imported.add(name);
  stageText(workspace, folder, servedManifest({ workspace, inlined, imported, entry: { ...main, exports } }));
}

/**
 * @param {string} workspace
 * @param {string} entry
 * @param {boolean} [hasCommonJs]
 */
function exportOf(workspace, entry, hasCommonJs) {
  const module = { types: `./dist/types/${workspace}/${entry}.d.ts`, default: `./dist/${entry}.js` };
  if (!hasCommonJs) return module;
  return { require: { types: `./dist/${entry}.d.cts`, default: `./dist/${entry}.cjs` }, ...module };
}

/** @param {string} folder */
function stageCommand(folder) {
  const source = join("packages", COMMAND);
  for (const file of COMMAND_FILES.flatMap((part) => filesBelow(join(source, part)))) {
    if (file.endsWith(".map")) continue;
    const text = readFileSync(file, "utf8");
    write(join(folder, relative(source, file)), withoutMap(text));
  }
  const { bin } = readManifest(COMMAND);
  stageText(COMMAND, folder, servedManifest({ workspace: COMMAND, inlined: [], imported: new Set(), entry: { bin } }));
}

/**
 * @param {string} workspace
 * @param {string} folder
 * @param {object} manifest
 */
function stageText(workspace, folder, manifest) {
  write(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of ["LICENSE", "README.md"]) cpSync(join("packages", workspace, name), join(folder, name));
}

/**
 * Packs every folder in here. npm writes the same bytes for the same files: in a fixed order, without the times and owners
 * of this machine.
 *
 * @param {string} staged
 */
function pack(staged) {
  const folders = NAMES.map((name) => `./${name}`);
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", ...folders], {
    cwd: staged,
    stdio: ["ignore", "ignore", "inherit"],
  });
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

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** @param {string} folder */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string} file */
function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
