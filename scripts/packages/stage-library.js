import { resolve } from "node:path";
import { build } from "rolldown";
import { collectTypes } from "./collect-types.js";
import { stageFile, stageManifest } from "./stage-file.js";
import { packageOf } from "./workspaces.js";

/**
 * @typedef {object} Library
 * @property {string} workspace its name without the scope
 * @property {Record<string, string>} entries the file below `src` of each export, without its extension
 * @property {readonly string[]} inlined other packages of ours whose code it contains
 * @property {"node" | "browser"} platform
 * @property {boolean} [hasCommonJs] whether it has a CommonJS build. From Node 20.19 on, `require` loads ES modules too
 */

/**
 * Writes a library into a folder as it is packed: the code of each entry, with that of our other packages in it, and the
 * declarations of all of them. Packages of others are dependencies.
 *
 * @param {Library} library
 * @param {string} folder
 */
export async function stageLibrary(library, folder) {
  const { workspace, entries, inlined, hasCommonJs } = library;
  const imported = await bundle(library, "esm", folder);
  if (hasCommonJs) {
    for (const name of await bundle(library, "cjs", folder)) imported.add(name);
    stageFile(folder, "dist/index.d.cts", `export * from "./types/${workspace}/index.js";\n`);
  }
  const types = collectTypes(
    workspace,
    Object.values(entries).map((entry) => `${entry}.d.ts`),
  );
  for (const [path, text] of types.files) stageFile(folder, `dist/types/${path}`, text);
  for (const name of types.imported) imported.add(name);
  const exports = Object.fromEntries(
    Object.entries(entries).map(([subpath, entry]) => [subpath, exportOf(library, entry)]),
  );
  const main = hasCommonJs ? { main: "./dist/index.cjs" } : {};
  stageManifest(folder, { workspace, inlined, imported, entry: { ...main, exports } });
}

/**
 * @param {Library} library
 * @param {"esm" | "cjs"} format
 * @param {string} folder
 * @returns {Promise<Set<string>>} the names of the packages of others that the code imports
 */
async function bundle({ workspace, entries, platform }, format, folder) {
  const extension = format === "esm" ? "js" : "cjs";
  const { output } = await build({
    cwd: resolve("packages", workspace),
    input: Object.fromEntries(Object.values(entries).map((entry) => [entry, `./src/${entry}.ts`])),
    platform,
    external: (/** @type {string} */ id) => !/^[./]|^@muster\//.test(id),
    tsconfig: false,
    resolve: { conditionNames: ["@muster/source"] },
    output: {
      dir: resolve(folder, "dist"),
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name].${extension}`,
    },
    logLevel: "warn",
  });
  const names = new Set(output.map(({ fileName }) => fileName));
  const imports = output.flatMap((file) => (file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : []));
  return new Set(imports.filter((id) => !names.has(id)).map(packageOf));
}

/**
 * @param {Library} library
 * @param {string} entry
 */
function exportOf({ workspace, hasCommonJs }, entry) {
  const module = { types: `./dist/types/${workspace}/${entry}.d.ts`, default: `./dist/${entry}.js` };
  if (!hasCommonJs) return module;
  return { require: { types: `./dist/${entry}.d.cts`, default: `./dist/${entry}.cjs` }, ...module };
}
