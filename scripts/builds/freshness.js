import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/**
 * @typedef {object} Build
 * @property {string} name what it is called on the command line
 * @property {string} title what it makes, for people
 * @property {() => string[]} sources the files that it is made from. Paths are relative to the repository
 * @property {string[]} outputs files that it writes last
 * @property {() => Promise<void>} run
 */

/**
 * Whether what a build makes is made from its sources as they are now. Fingerprints of paths, sizes and times are compared, not the
 * order of times: a source that was deleted or replaced by an older one is a change too, and a build that was killed has
 * left other outputs than the last one that ended.
 *
 * @param {Build} build
 * @param {string} sources the fingerprint of its sources
 */
export function isFresh({ name, outputs }, sources) {
  return readNote(name) === noteOf(sources, outputs);
}

/**
 * Notes that a build has ended.
 *
 * @param {Build} build
 * @param {string} sources the fingerprint of its sources before it began: a source that changed during the build makes it stale
 */
export function noteBuilt({ name, outputs }, sources) {
  const path = notePath(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, noteOf(sources, outputs));
  renameSync(`${path}.${process.pid}`, path);
}

/** @param {readonly string[]} paths */
export function fingerprintOf(paths) {
  const hash = createHash("sha256");
  for (const path of [...paths].sort()) {
    const file = statSync(join(REPOSITORY, path), { throwIfNoEntry: false });
    hash.update(`${path}\n${file === undefined ? "missing" : `${file.size} ${file.mtimeMs}`}\n`);
  }
  return hash.digest("hex");
}

/**
 * @param {string} sources
 * @param {readonly string[]} outputs
 */
function noteOf(sources, outputs) {
  return `${sources} ${fingerprintOf(outputs)}\n`;
}

/** @param {string} name */
function readNote(name) {
  try {
    return readFileSync(notePath(name), "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} name */
function notePath(name) {
  return join(REPOSITORY, ".cache/builds", name);
}
