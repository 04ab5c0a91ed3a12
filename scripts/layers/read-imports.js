import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "rolldown/utils";

/**
 * @typedef {object} Import
 * @property {string} from The file that imports.
 * @property {string} to The file that is imported, the folder of a package of ours, or the name of another package.
 * @property {boolean} isPackage It is a package of others, or a module of Node.
 * @property {boolean} isType Only types are imported.
 */

const FOLDERS = ["apps", "packages", "connector-apps", "bench"];
const SOURCE = /\.(ts|tsx)$/;
// Tests may import everything. Templates are copied into the projects of others.
const LEFT_OUT = /\.test\.|\/(testing|contract|dist|bundle|node_modules|templates)\//;

/**
 * The imports of all source files, without those of tests.
 *
 * @param {string} repository
 * @returns {Import[]}
 */
export function readImports(repository) {
  const files = FOLDERS.flatMap((folder) => sourcesIn(repository, folder));
  const known = new Set(files);
  return files.flatMap((file) => importsIn(file, readFileSync(join(repository, file), "utf8"), known));
}

/**
 * @param {string} repository
 * @param {string} folder
 * @returns {string[]}
 */
function sourcesIn(repository, folder) {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (LEFT_OUT.test(`${path}/`)) return [];
    if (entry.isDirectory()) return sourcesIn(repository, path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}

/**
 * @param {string} file
 * @param {string} text
 * @param {ReadonlySet<string>} known The files that an import may mean.
 * @returns {Import[]}
 */
export function importsIn(file, text, known) {
  const { module } = parseSync(file, text);
  const found = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      name: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest ? [{ name: moduleRequest.value, isType }] : [])),
    ),
    // Those in the code, and the types that are written as `import("…").Name`.
    ...[...text.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, name = ""]) => ({ name, isType: false })),
  ];
  return found.map(({ name, isType }) => {
    const to = name.startsWith(".") ? resolve(file, name, known) : folderOf(name);
    return { from: file, to: to ?? name, isPackage: to === undefined, isType };
  });
}

/**
 * @param {string} file
 * @param {string} name
 * @param {ReadonlySet<string>} known
 */
function resolve(file, name, known) {
  const path = posix.join(posix.dirname(file), name);
  const stem = path.replace(/\.js$/, "");
  return [`${stem}.ts`, `${stem}.tsx`].find((candidate) => known.has(candidate)) ?? path;
}

/**
 * The folder of a package of ours; undefined for other packages.
 *
 * @param {string} name
 */
function folderOf(name) {
  const [scope, short] = name.split("/");
  if (scope !== "@muster") return undefined;
  return short === "server" ? "apps/server" : `packages/${short}`;
}
