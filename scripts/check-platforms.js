import { readFile } from "node:fs/promises";
import { findPlatformGaps } from "./find-platform-gaps.js";

// `npm run check:platforms` fails when package-lock.json lacks a package that Linux needs on x64 or on arm64. This is plain
// JavaScript, because the compiler itself has packages per platform and may be missing.
/** @type {import("./find-platform-gaps.js").Lock} */
const lock = JSON.parse(await readFile(new URL("../package-lock.json", import.meta.url), "utf8"));
const { checked, gaps } = findPlatformGaps(lock);
for (const gap of gaps) console.error(gap);
if (gaps.length > 0) process.exitCode = 1;
else console.log(`${checked} packages have parts per platform. Each has one for linux-x64 and one for linux-arm64.`);
