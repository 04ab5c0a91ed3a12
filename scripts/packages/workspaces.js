import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 * @property {string[]} [keywords]
 * @property {string} [license]
 * @property {boolean} [sideEffects]
 * @property {Record<string, string>} [engines]
 * @property {Record<string, string>} [bin]
 * @property {Record<string, { types?: string }>} [exports]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 */

/**
 * The manifest of one of our packages, named without its scope.
 *
 * @param {string} workspace
 * @returns {Manifest}
 */
export function readManifest(workspace) {
  return JSON.parse(readFileSync(`packages/${workspace}/package.json`, "utf8"));
}

/**
 * The name of the package that a specifier means. A module of Node has the types of `@types/node`, which every project
 * in TypeScript chooses itself, so it counts as no package.
 *
 * @param {string} specifier
 */
export function packageOf(specifier) {
  if (isBuiltin(specifier)) return "";
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
