/**
 * What package-lock.json says of one package, as far as it is read here.
 *
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {{ packages: Record<string, LockEntry> }} Lock entries by folder, as in `node_modules/vite` */

const CPUS = ["x64", "arm64"];

/**
 * Finds what a lock lacks to install on Linux (glibc) with both processors. A package that comes per platform names the
 * packages of its platforms as optional dependencies. npm installs without a word when the one it needs is missing; the
 * failure comes later, on that platform alone.
 *
 * @param {Lock} lock
 * @returns {{ checked: number, gaps: string[] }} how many packages come per platform, and a sentence for each gap
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
 * The optional dependencies of a package that are made for one processor or another. Those without `cpu` are left out:
 * they run on both, and would hide that another has no package for one of them.
 *
 * @param {Lock["packages"]} packages
 * @param {string} path
 */
function perProcessor(packages, path) {
  const names = Object.keys(packages[path]?.optionalDependencies ?? {});
  return names.map((name) => resolve(packages, path, name)).filter((entry) => entry?.cpu !== undefined);
}

/**
 * The entry that `name` means for the package at `path`: the nearest `node_modules` has it, going up.
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
 * The processors that a package of some platforms runs on, on Linux with glibc; none for a package of all platforms.
 * The fields tell, not the name: names vary (`-linux-x64-gnu`, `-linux-x64`).
 *
 * @param {LockEntry | undefined} entry
 */
function linuxCpus({ os, cpu, libc } = {}) {
  const isForAllPlatforms = !os && !cpu && !libc;
  if (isForAllPlatforms || !allows(os, "linux") || !allows(libc, "glibc")) return [];
  return CPUS.filter((candidate) => allows(cpu, candidate));
}

/**
 * Whether a field of a package allows a value. npm's rule: `!value` excludes; no field, or exclusions alone, allow the
 * rest.
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
