// Which test files take long. They say so in a line of their own, `// @module-tag long`, which Vitest knows too
// (`npx vitest --tags-filter=long`). `npm test` leaves them out, `.ci/run` runs a part of them, `npm run test:long` all.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** As many as let `.ci/run` end in 14 minutes. Each commit has another part, so all have run after about as many commits. */
export const PARTS = 9;
const FOLDERS = ["apps", "bench", "connector-apps", "e2e", "packages", "scripts"];
const SKIPPED = ["node_modules", "dist"];
const TAG = /^\/\/ @module-tag long$/m;

/**
 * The paths of the long test files, from the root of the repository.
 * @param {string} root
 * @returns {string[]}
 */
export function findLongTests(root) {
  return FOLDERS.flatMap((folder) => testsBelow(root, folder))
    .filter((file) => TAG.test(readFileSync(join(root, file), "utf8")))
    .sort();
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function testsBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.includes(entry.name) ? [] : testsBelow(root, path);
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

/**
 * Every file is in exactly one part. Neighbours, which often test the same thing, are in different ones.
 * @param {readonly string[]} files
 * @param {number} part from 1 to `parts`
 * @param {number} parts
 * @returns {string[]}
 */
export function partOf(files, part, parts = PARTS) {
  return files.filter((_, index) => index % parts === part - 1);
}

/**
 * The part whose turn it is at the present commit, from 1 to `parts`.
 * @param {string} root
 * @returns {number}
 */
export function partOfCommit(root, parts = PARTS) {
  const [commits] = gitLines(root, "rev-list", "--count", "HEAD");
  return 1 + (Number(commits) % parts);
}

/**
 * The arguments for Vitest, with `--part` replaced by the shard whose turn it is at the present commit.
 * @param {readonly string[]} args
 * @param {string} root
 * @returns {string[]}
 */
export function shardOfCommit(args, root) {
  return args.map((arg) => (arg === "--part" ? `--shard=${partOfCommit(root)}/${PARTS}` : arg));
}

/**
 * What git prints, by line.
 * @param {string} root
 * @param {readonly string[]} args
 * @returns {string[]}
 */
export function gitLines(root, ...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
}
