// Builds the dashboard when a source is newer than the build. With --background the build goes on beside the caller:
// `npm start` does not wait for it, and the server says when it is ready.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const PACKAGE = fileURLToPath(new URL("../apps/dashboard/", import.meta.url));
/** While this file exists, a build runs. */
const MARK = join(PACKAGE, ".building");
const NEW = join(PACKAGE, "dist.new");
const OLD = join(PACKAGE, "dist.old");
const DIST = join(PACKAGE, "dist");

const isBuilder = process.argv.includes("--builder");
if (isBuilder) await build().catch(tellAndFail);
else if (isStale()) {
  writeFileSync(MARK, String(process.pid));
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--builder"], { stdio: "inherit" });
  if (process.argv.includes("--background")) child.unref();
  else child.on("close", (code) => process.exit(code ?? 1));
} else rmSync(MARK, { force: true });

/** @param {unknown} error */
function tellAndFail(error) {
  console.error(`The dashboard could not be built. ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

function isStale() {
  const built = timeOf("dist/index.html") ?? 0;
  const sources = ["src", "public"].flatMap((folder) =>
    readdirSync(join(PACKAGE, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => !name.includes(".test."))
      .map((name) => join(folder, name)),
  );
  return [...sources, "index.html", "vite.config.ts", "package.json"].some((name) => (timeOf(name) ?? 0) > built);
}

/** Builds into a separate folder and then renames it, so that the server never serves half a build. */
async function build() {
  try {
    rmSync(NEW, { recursive: true, force: true });
    await run("npx", ["vite", "build", "--logLevel", "error"]);
    compress(join(NEW, "assets"));
    rmSync(OLD, { recursive: true, force: true });
    if (timeOf("dist") !== undefined) renameSync(DIST, OLD);
    renameSync(NEW, DIST);
    rmSync(OLD, { recursive: true, force: true });
  } finally {
    rmSync(MARK, { force: true });
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

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: PACKAGE,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DASHBOARD_OUT_DIR: "dist.new" },
    });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(undefined) : reject(new Error(`The build ended with ${code}.`))));
  });
}

/** @param {string} name */
function timeOf(name) {
  return statSync(join(PACKAGE, name), { throwIfNoEntry: false })?.mtimeMs;
}
