import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { packageOf, readManifest } from "./workspaces.js";

/**
 * The declarations that a package needs, its own and those of our other packages, all in one folder. An import of
 * another package of ours becomes a relative path, so that the result needs none of them.
 *
 * @param {string} workspace the name of the package without its scope, such as `client`
 * @param {readonly string[]} entries declarations below its `dist`
 * @returns {{ files: Map<string, string>, imported: Set<string> }} the text of each file by its path, which begins with
 *   the name of its workspace, and the names of the packages of others that the files import
 */
export function collectTypes(workspace, entries) {
  /** @type {Map<string, string>} */
  const files = new Map();
  /** @type {Set<string>} */
  const imported = new Set();
  const waiting = entries.map((entry) => posix.join(workspace, entry));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const text = readDeclarations(path);
    /** @type {[start: number, end: number, specifier: string][]} */
    const changes = [];
    for (const { value, start, end } of specifiersIn(path, text)) {
      const target = targetOf(path, value);
      if (target === undefined) imported.add(packageOf(value));
      else {
        waiting.push(target);
        changes.push([start, end, JSON.stringify(relativeTo(path, target))]);
      }
    }
    files.set(path, withoutMap(replaceAt(text, changes)));
  }
  return { files, imported };
}

/** @param {string} path */
function readDeclarations(path) {
  const [workspace = "", ...rest] = path.split("/");
  return readFileSync(join("packages", workspace, "dist", ...rest), "utf8");
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {{ value: string, start: number, end: number }[]}
 */
function specifiersIn(path, text) {
  const { program, errors } = parseSync(path, text, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  /** @type {{ value: string, start: number, end: number }[]} */
  const found = [];
  new Visitor({
    ImportDeclaration: ({ source }) => void found.push(source),
    ExportAllDeclaration: ({ source }) => void found.push(source),
    ExportNamedDeclaration: ({ source }) => void (source && found.push(source)),
    TSImportType: ({ source }) => void found.push(source),
  }).visit(program);
  return found;
}

/**
 * The file that a specifier means when it is one of ours.
 *
 * @param {string} from
 * @param {string} specifier
 */
function targetOf(from, specifier) {
  if (specifier.startsWith(".")) return posix.join(dirname(from), specifier).replace(/\.js$/, ".d.ts");
  const [scope, workspace = "", ...rest] = specifier.split("/");
  if (scope !== "@muster") return undefined;
  const subpath = rest.join("/");
  for (const [pattern, { types }] of Object.entries(readManifest(workspace).exports ?? {})) {
    const [start = "", end] = pattern.slice(2).split("*");
    const isMeant = end === undefined ? subpath === start : subpath.startsWith(start) && subpath.endsWith(end);
    if (!isMeant || types === undefined) continue;
    const star = subpath.slice(start.length);
    return posix.join(workspace, types.replace("./dist/", "").replace("*", star));
  }
  throw new Error(`${from} imports ${specifier}, which has no types.`);
}

/**
 * @param {string} from
 * @param {string} target
 */
function relativeTo(from, target) {
  const path = posix.relative(dirname(from), target).replace(/\.d\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

/**
 * @param {string} text
 * @param {readonly [start: number, end: number, replacement: string][]} changes
 */
function replaceAt(text, changes) {
  return changes
    .toSorted(([one], [other]) => other - one)
    .reduce((changed, [start, end, replacement]) => changed.slice(0, start) + replacement + changed.slice(end), text);
}

/**
 * The maps lead to sources, which the package does not have.
 *
 * @param {string} text
 */
export function withoutMap(text) {
  return text.replace(/^\/\/# sourceMappingURL=.*\n?/gm, "");
}
