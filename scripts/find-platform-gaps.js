/**
 * The fields of a package in package-lock.json that are used here.
 *
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {{ packages: Record<string, LockEntry> }} Lock The packages by their folder, such as `node_modules/vite`. */

const CPUS = ["x64", "arm64"];

/**
 * Finds the packages that a lock lacks for Linux (glibc) on both processors. A package with parts per platform names these
 * parts as optional dependencies. When the part of a platform is missing, npm installs silently, and the program
 * fails later, on that platform only.
 *
 * @param {Lock} lock
 * @returns {{ checked: number, gaps: string[] }} the number of packages with parts per platform, and a sentence for each gap
 */
export function findPlatformGaps({ packages }) {
  const gaps = [];
  let checked = 0;
  for (const [path, entry] of Object.entries(packages)) {
    if (path.includes("node_modules/") && linuxCpus(entry).length > 0 && !entry.integrity) {
      gaps.push(`${describe(path, entry)} has no integrity: the registry did not have it when the lock was written.`);
    }
    const covered = perProcessor(packages, path).flatMap(linuxCpus);
    if (covered.length === 0) continue;
    checked += 1;
    for (const cpu of CPUS) {
      if (!covered.includes(cpu)) gaps.push(`${describe(path, entry)} has no package for linux-${cpu}.`);
    }
  }
  return { checked, gaps };
}

/**
 * The optional dependencies of a package that are made for certain processors. Those without `cpu` are left out: they run
 * on all processors, and would hide that a part for one of them is missing.
 *
 * @param {Lock["packages"]} packages
 * @param {string} path
 */
function perProcessor(packages, path) {
  const names = Object.keys(packages[path]?.optionalDependencies ?? {});
  return names.map((name) => resolve(packages, path, name)).filter((entry) => entry?.cpu !== undefined);
}

/**
 * The entry of the package that `name` refers to in the package at `path`: the one in the nearest `node_modules` above it.
 *
 * @param {Lock["packages"]} packages
 * @param {string} path
 * @param {string} name
 * @returns {LockEntry | undefined}
 */
function resolve(packages, path, name) {
  const found = packages[path === "" ? `node_modules/${name}` : `${path}/node_modules/${name}`];
  if (found || path === "") return found;
  return resolve(packages, path.slice(0, Math.max(0, path.lastIndexOf("/"))), name);
}

/**
 * The processors that a package for certain platforms supports on Linux with glibc; none for a package for all platforms.
 * The fields decide, because names vary (`-linux-x64-gnu`, `-linux-x64`).
 *
 * @param {LockEntry | undefined} entry
 */
function linuxCpus({ os, cpu, libc } = {}) {
  const isForAllPlatforms = !os && !cpu && !libc;
  if (isForAllPlatforms || !allows(os, "linux") || !allows(libc, "glibc")) return [];
  return CPUS.filter((candidate) => allows(cpu, candidate));
}

/**
 * Whether a field of a package allows a value. npm's rule: `!value` excludes a value. Without the field, or with exclusions
 * alone, all other values are allowed.
 *
 * @param {string[] | undefined} list
 * @param {string} value
 */
function allows(list = [], value) {
  if (list.includes(`!${value}`)) return false;
  return list.includes(value) || list.every((item) => item.startsWith("!"));
}

/**
 * @param {string} path
 * @param {LockEntry} entry
 */
function describe(path, { version }) {
  const name = path.split("node_modules/").at(-1) || "the root package";
  return version ? `${name}@${version}` : name;
}
