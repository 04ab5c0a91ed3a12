// Builds the dashboard. `npm start` does not wait for it, and the server says when it is ready.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { REPOSITORY } from "./freshness.js";
import { sourceFiles } from "./source-files.js";

const FOLDER = "apps/dashboard";
const PACKAGE = join(REPOSITORY, FOLDER);
/** While this file exists, a build runs or is about to. */
const MARK = join(PACKAGE, ".building");
const NEW = join(PACKAGE, "dist.new");
const OLD = join(PACKAGE, "dist.old");
const DIST = join(PACKAGE, "dist");

/** @type {import("./freshness.js").Build} */
export const DASHBOARD = {
  name: "dashboard",
  title: "the dashboard",
  sources: () => [
    ...[`${FOLDER}/src`, `${FOLDER}/public`, "packages/protocol/src", "packages/query/src"].flatMap(sourceFiles),
    ...["index.html", "vite.config.ts", "package.json"].map((name) => `${FOLDER}/${name}`),
    "package-lock.json",
    "scripts/builds/dashboard.js",
  ],
  outputs: [`${FOLDER}/dist/index.html`],
  run: build,
};

/** @param {boolean} isBeingBuilt */
export function markDashboard(isBeingBuilt) {
  if (isBeingBuilt) writeFileSync(MARK, String(process.pid));
  else rmSync(MARK, { force: true });
}

/** Builds into a separate folder and then renames it, so that the server never serves half a build. */
async function build() {
  markDashboard(true);
  try {
    rmSync(NEW, { recursive: true, force: true });
    // Vite belongs to the dashboard: the repository has other versions for other packages.
    const vite = createRequire(join(PACKAGE, "package.json")).resolve("vite");
    const { build } = await import(pathToFileURL(vite).href);
    // Otherwise a build that a test runner starts has the React for development, and would be kept as if it were right.
    process.env.NODE_ENV = "production";
    await build({ root: PACKAGE, logLevel: "error", build: { outDir: "dist.new" } });
    compress(join(NEW, "assets"));
    rmSync(OLD, { recursive: true, force: true });
    moveAway(DIST, OLD);
    renameSync(NEW, DIST);
    rmSync(OLD, { recursive: true, force: true });
  } finally {
    markDashboard(false);
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function moveAway(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    // The first build has nothing to replace.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") throw error;
  }
}

/**
 * Writes each script and style also compressed, so that the server does not compress them for every reader.
 * @param {string} folder
 */
function compress(folder) {
  for (const name of readdirSync(folder).filter((file) => /\.(js|css|svg)$/.test(file))) {
    const text = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text, { level: 9 }));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text));
  }
}
