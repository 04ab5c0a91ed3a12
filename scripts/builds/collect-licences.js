import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * The licences of the packages that these files belong to. Most licences ask to be passed on with the code.
 * @param {Iterable<string>} files
 */
export function collectLicences(files) {
  const folders = new Set([...files].map((file) => PACKAGE.exec(file.replaceAll("\\", "/"))?.[0]).filter(isFolder));
  return [...folders].map(describe).sort().join("\n");
}

/**
 * A file of the package that this file belongs to, and one of each package that it depends on: a script that was built for
 * browsers contains them.
 * @param {string} file
 * @param {Set<string>} found
 * @returns {Iterable<string>}
 */
export function filesOfPackages(file, found = new Set()) {
  const folder = PACKAGE.exec(file.replaceAll("\\", "/"))?.[0];
  const description = join(folder ?? "", "package.json");
  if (folder === undefined || found.has(description)) return found;
  found.add(description);
  const { dependencies = {} } = JSON.parse(readFileSync(description, "utf8"));
  for (const name of Object.keys(dependencies)) {
    // Not every package can be resolved by its name: some have no file that Node could load.
    const places = createRequire(description).resolve.paths(name) ?? [];
    const place = places.map((path) => join(path, name, "package.json")).find((path) => existsSync(path));
    if (place === undefined) throw new Error(`The package ${name}, which ${folder} depends on, is not installed.`);
    filesOfPackages(place, found);
  }
  return found;
}

/** @param {string} folder */
function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts, ""].join("\n\n");
}

/**
 * @param {string | undefined} folder
 * @returns {folder is string}
 */
function isFolder(folder) {
  return folder !== undefined;
}
