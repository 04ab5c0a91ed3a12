import { readFile } from "node:fs/promises";
import { findPlatformGaps } from "./find-platform-gaps.js";

// `npm run check:platforms`: fails when package-lock.json lacks what Linux needs, on x64 or on arm64. Plain JavaScript,
// because what would compile it comes per platform too.
const lock = JSON.parse(await readFile(new URL("../package-lock.json", import.meta.url), "utf8"));
const { checked, gaps } = findPlatformGaps(lock);
for (const gap of gaps) console.error(gap);
if (gaps.length > 0) process.exitCode = 1;
else console.log(`${checked} packages come per platform; each has linux-x64 and linux-arm64.`);
