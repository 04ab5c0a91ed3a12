// A step of a release: adds the script of this version to those that servers go on serving after upgrades.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BROWSER_LIBRARY } from "./builds/browser-library.js";
import { runBuild } from "./builds/run-builds.js";
import { keepRelease } from "./kept-releases.js";

await runBuild(BROWSER_LIBRARY);
if (process.exitCode) process.exit();
const read = (/** @type {string} */ path) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const { version } = JSON.parse(read("../packages/browser/package.json"));
keepRelease(version, read("../packages/browser/dist/muster.js"));
console.log(`The script of ${version} is in packages/browser/releases. Commit it with the release.`);
