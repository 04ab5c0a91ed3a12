import { posix } from "node:path";

/** @typedef {import("./layers.js").Area} Area */
/** @typedef {import("./read-imports.js").Import} Import */

/**
 * The imports that break the order of the folders, a sentence each.
 *
 * @param {readonly Import[]} imports
 * @param {readonly Area[]} areas
 * @returns {string[]}
 */
export function findBreaks(imports, areas) {
  const breaks = areas.flatMap((area) => imports.flatMap((given) => breaksOf(area, given)));
  return [...breaks, ...findCycles(imports)];
}

/**
 * @param {Area} area
 * @param {Import} given
 * @returns {string[]}
 */
function breaksOf(area, { from, to, isPackage, isType }) {
  const source = within(area.root, from);
  if (source === undefined) return [];
  const target = isPackage ? undefined : within(area.root, to);
  const said = (/** @type {string} */ why) => [`${from} imports ${to}: ${why}`];
  const upper = layerOf(area, source);
  if (upper === undefined) {
    return [`${from}: its folder has no place in scripts/layers/layers.js.`];
  }
  for (const { from: banned, to: targets, types, why } of area.bans ?? []) {
    if (!isBelow(source, banned) || (types && isType)) continue;
    const named = isPackage ? to : target;
    if (targets.some((name) => named !== undefined && isBelow(named, name))) return said(why);
  }
  if (target === undefined) return [];
  const lower = layerOf(area, target);
  if (lower === undefined || upper.name === lower.name) return apartBreaks(area, source, target).flatMap(said);
  if (upper.row === OUTSIDE) return [];
  if (lower.row === OUTSIDE) return said(`${lower.name} is outside the order, and no layer imports it.`);
  if (lower.row < upper.row) return said(`${upper.name} may not import ${lower.name}. ${describe(area)}`);
  return [];
}

const OUTSIDE = Number.NEGATIVE_INFINITY;
/** Files beside the layers start programs. They may import all, and no layer imports them. */
const BESIDE = -1;

/**
 * The layer of a file: its name and its row, counted from the top. Undefined for a folder that is not listed.
 *
 * @param {Area} area
 * @param {string} path
 * @returns {{ name: string, row: number } | undefined}
 */
function layerOf({ order, outside = [] }, path) {
  for (const [row, names] of order.entries()) {
    const name = names.find((candidate) => isBelow(path, candidate));
    if (name !== undefined) return { name, row };
  }
  const name = outside.find((candidate) => isBelow(path, candidate));
  if (name !== undefined) return { name, row: OUTSIDE };
  return path.includes("/") ? undefined : { name: path, row: BESIDE };
}

/**
 * @param {Area} area
 * @param {string} source
 * @param {string} target
 * @returns {string[]}
 */
function apartBreaks({ apart = [] }, source, target) {
  return apart.flatMap((folder) => {
    const [one, other] = [source, target].map((path) => within(folder, path)?.split("/"));
    if (!one || !other || one.length === 1 || other.length === 1 || one[0] === other[0]) return [];
    return [`folders in ${folder} do not import each other. What two of them need has a folder beside ${folder}.`];
  });
}

/** @param {Area} area */
function describe({ order }) {
  return `Imports point down: ${order.map((row) => row.join(" and ")).join(", then ")}.`;
}

/**
 * Folders beside each other that import each other, also by way of others: nobody can say which of them is the lower one.
 *
 * @param {readonly Import[]} imports
 * @returns {string[]}
 */
function findCycles(imports) {
  /** @type {Map<string, Map<string, Map<string, Import[]>>>} By parent, importing folder and imported folder. */
  const parents = new Map();
  for (const given of imports) {
    const pair = given.isPackage ? undefined : siblingsOf(given);
    if (!pair) continue;
    const folders = getOrAdd(parents, pair.parent, () => new Map());
    const targets = getOrAdd(folders, pair.from, () => new Map());
    getOrAdd(targets, pair.to, () => /** @type {Import[]} */ ([])).push(given);
  }
  return [...parents].flatMap(([parent, folders]) => {
    const cycle = findCycle(folders);
    if (!cycle) return [];
    const examples = cycle.map((folder, index) => {
      const next = cycle[(index + 1) % cycle.length] ?? "";
      const found = folders.get(folder)?.get(next) ?? [];
      return `  ${found[0]?.from} imports ${found[0]?.to} (one of ${found.length})`;
    });
    return [
      `${parent}: ${[...cycle, cycle[0]].join(" → ")}. Folders beside each other import each other in one direction only.\n${examples.join("\n")}`,
    ];
  });
}

/**
 * The shortest way from a folder back to itself.
 *
 * @param {ReadonlyMap<string, ReadonlyMap<string, unknown>>} folders
 * @returns {string[] | undefined}
 */
function findCycle(folders) {
  /** @type {string[] | undefined} */
  let shortest;
  for (const start of folders.keys()) {
    const ways = [[start]];
    const seen = new Set();
    for (const way of ways) {
      for (const next of folders.get(way.at(-1) ?? "")?.keys() ?? []) {
        if (next === start && way.length < (shortest?.length ?? Number.POSITIVE_INFINITY)) shortest = way;
        if (!seen.has(next)) ways.push([...way, next]);
        seen.add(next);
      }
    }
  }
  return shortest;
}

/**
 * The two folders beside each other that an import connects; undefined when one file is beside or above the other.
 *
 * @param {Import} given
 */
function siblingsOf({ from, to }) {
  const one = from.split("/");
  const other = to.split("/");
  const depth = one.findIndex((name, index) => name !== other[index]);
  if (depth < 1 || depth >= one.length - 1 || depth >= other.length - 1) return undefined;
  return { parent: one.slice(0, depth).join("/"), from: one[depth] ?? "", to: other[depth] ?? "" };
}

/**
 * The path below a folder; undefined when it is not there.
 *
 * @param {string} folder
 * @param {string} path
 */
function within(folder, path) {
  if (folder === "") return path;
  return path.startsWith(`${folder}/`) ? posix.relative(folder, path) : undefined;
}

/**
 * @param {string} path
 * @param {string} folder
 */
function isBelow(path, folder) {
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * @template Key, Value
 * @param {Map<Key, Value>} map
 * @param {Key} key
 * @param {() => Value} make
 */
function getOrAdd(map, key, make) {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
