import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../packages/browser/releases/", import.meta.url));

/** The scripts of released versions that servers go on serving, with their checksums. */
export function listReleases(folder = FOLDER) {
  return readFileSync(join(folder, "SHA256SUMS"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [checksum = "", file = ""] = line.split("  ");
      return { version: file.replace(/\.js$/, ""), checksum, text: readFileSync(join(folder, file), "utf8") };
    });
}

/**
 * Adds the script of a version. A version that is there stays as it is: pages have its checksum.
 *
 * @param {string} version
 * @param {string} text
 */
export function keepRelease(version, text, folder = FOLDER) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not the version of a release.`);
  const known = listReleases(folder).find((release) => release.version === version);
  const checksum = createHash("sha256").update(text).digest("hex");
  if (known && known.checksum !== checksum) {
    throw new Error(`Version ${version} was released with another script. A changed script needs a new version.`);
  }
  if (known) return;
  writeFileSync(join(folder, `${version}.js`), text);
  writeFileSync(join(folder, "SHA256SUMS"), `${checksum}  ${version}.js\n`, { flag: "a" });
}
