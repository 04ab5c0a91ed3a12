// Writes the declarations of the packages that the server gives to npm. The compiler alone can, and takes longest of all.

import { spawn } from "node:child_process";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./freshness.js";
import { sourceFiles } from "./source-files.js";

const TSC = join(REPOSITORY, "node_modules/.bin/tsc");
const COMPILED = ["packages/browser", "packages/client", "packages/connector"];
/** They are compiled with those above, which use them. */
const USED = ["packages/protocol"];

/** @type {import("./freshness.js").Build} */
export const DECLARATIONS = {
  name: "declarations",
  title: "the declarations",
  sources: () => [
    ...[...COMPILED, ...USED].flatMap((folder) => [
      ...sourceFiles(`${folder}/src`),
      `${folder}/tsconfig.json`,
      `${folder}/package.json`,
    ]),
    "tsconfig.base.json",
    "package-lock.json",
  ],
  outputs: [...COMPILED, ...USED].map((folder) => `${folder}/dist/index.d.ts`),
  async run() {
    for (const folder of [...COMPILED, ...USED]) distrust(join(REPOSITORY, folder, "tsconfig.tsbuildinfo"));
    await compile();
  },
};

/**
 * Makes the compiler look into the sources. By itself it compares times, and misses a source that was replaced by an older one.
 *
 * @param {string} notes what it has noted about its last build
 */
function distrust(notes) {
  if (existsSync(notes)) utimesSync(notes, 0, 0);
}

/** @returns {Promise<void>} */
function compile() {
  return new Promise((resolve, reject) => {
    const child = spawn(TSC, ["-b", "--emitDeclarationOnly", ...COMPILED], { cwd: REPOSITORY, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`The compiler ended with ${code}.`))));
  });
}
