import { access, constants, mkdtemp, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Finding } from "./finding.js";

/** The data directory must be writable. When it does not exist yet, its nearest existing parent must be. */
export async function checkDataDirectory(directory: string): Promise<Finding> {
  const present = await nearestPresent(directory);
  try {
    if (!(await stat(present)).isDirectory()) return problem(`${present} is not a directory`);
    await access(present, constants.R_OK | constants.X_OK);
    // Permissions do not show a read-only mount or a full quota, so a folder is written.
    await rm(await mkdtemp(join(present, ".muster-doctor-")), { recursive: true });
  } catch (error) {
    return problem(`${present} cannot be written to: ${(error as Error).message}`);
  }
  const message =
    present === directory ? `${directory} is writable` : `${directory} will be created at the first start`;
  return { check: "data directory", verdict: "ok", message };
}

/** The path itself, or the nearest folder above it that exists. */
export async function nearestPresent(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearestPresent(dirname(path));
}

function problem(message: string): Finding {
  return { check: "data directory", verdict: "problem", message };
}
