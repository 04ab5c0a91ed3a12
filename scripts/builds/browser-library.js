// Bundles the browser library into the one file that pages load.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { REPOSITORY } from "./freshness.js";
import { sourceFiles } from "./source-files.js";

const FOLDER = "packages/browser";
const CONFIG = `${FOLDER}/rolldown.config.js`;

/** @type {import("./freshness.js").Build} */
export const BROWSER_LIBRARY = {
  name: "browser",
  title: "the browser library",
  sources: () => [...sourceFiles(`${FOLDER}/src`), CONFIG, "package-lock.json"],
  outputs: [`${FOLDER}/dist/muster.js`],
  async run() {
    const [{ build }, { default: config }] = await Promise.all([
      import("rolldown"),
      import(pathToFileURL(join(REPOSITORY, CONFIG)).href),
    ]);
    await build({ ...config, cwd: join(REPOSITORY, FOLDER), logLevel: "warn" });
  },
};
