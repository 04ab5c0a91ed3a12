// Turns the packages that a running server loads as modules into JavaScript, file by file and without a look at their types:
// the compiler would take twenty times as long. It does the same with them when it checks everything (`npm run build`).

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { REPOSITORY } from "./freshness.js";
import { sourceFiles } from "./source-files.js";

/** The sandbox runs in threads of its own, so it is in no bundle. It uses the other two. */
const LOADED = ["packages/protocol", "packages/client", "packages/sandbox"];

const sources = () => LOADED.flatMap((folder) => sourceFiles(`${folder}/src`)).filter((path) => path.endsWith(".ts"));

/** @type {import("./freshness.js").Build} */
export const MODULES = {
  name: "modules",
  title: "the modules",
  sources: () => [...sources(), "tsconfig.base.json", "package-lock.json", "scripts/builds/modules.js"],
  outputs: LOADED.map((folder) => `${folder}/dist/index.js`),
  async run() {
    const { transformSync } = await import("rolldown/utils");
    for (const path of sources()) {
      const { code, map, errors } = transformSync(path, readFileSync(join(REPOSITORY, path), "utf8"), {
        target: "es2023",
        sourcemap: true,
        typescript: { onlyRemoveTypeImports: true },
      });
      if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
      const target = join(REPOSITORY, path.replace("/src/", "/dist/").replace(/ts$/, "js"));
      replace(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
      replace(
        `${target}.map`,
        JSON.stringify({ ...map, sources: [relative(dirname(target), join(REPOSITORY, path))] }),
      );
    }
  },
};

/**
 * Writes a file whole: a server may be loading it.
 *
 * @param {string} path
 * @param {string} text
 */
function replace(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
