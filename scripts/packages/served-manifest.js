import { readManifest } from "./workspaces.js";

/** @typedef {import("./workspaces.js").Manifest} Manifest */

/**
 * The package.json of a package that is served: without scripts, without the condition that only this repository
 * resolves, and with no dependency but the packages of others that its code and its types import.
 *
 * @param {object} options
 * @param {string} options.workspace its name without the scope
 * @param {readonly string[]} options.inlined other packages of ours whose code it contains
 * @param {ReadonlySet<string>} options.imported packages of others that it imports
 * @param {object} options.entry `main`, `exports` or `bin`
 */
export function servedManifest({ workspace, inlined, imported, entry }) {
  const own = readManifest(workspace);
  const { name, version, description, keywords, license, sideEffects, engines } = own;
  const { peerDependencies = {}, peerDependenciesMeta } = own;
  const ranges = Object.assign({}, ...[...inlined, workspace].map((each) => readManifest(each).dependencies ?? {}));
  const unknown = [...imported].filter((each) => each !== "" && !(each in ranges) && !(each in peerDependencies));
  if (unknown.length > 0) throw new Error(`${name} imports ${unknown.join(", ")} and does not depend on it.`);
  const isImported = (/** @type {string} */ each) => imported.has(each) || imported.has(each.replace(/^@types\//, ""));
  const dependencies = Object.entries(ranges).filter(([each]) => isImported(each) && !each.startsWith("@muster/"));
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: "module",
    sideEffects,
    engines,
    ...entry,
    ...(dependencies.length > 0 ? { dependencies: Object.fromEntries(dependencies.sort()) } : {}),
    ...(own.peerDependencies ? { peerDependencies, peerDependenciesMeta } : {}),
  };
}
