import { access, constants, mkdtemp, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Finding } from "./finding.js";

/** The data directory must be writable, or its nearest present parent when it is not there yet. */
export async function checkDataDirectory(directory: string): Promise<Finding> {
  const present = await nearestPresent(directory);
  try {
    if (!(await stat(present)).isDirectory()) return problem(`${present} is not a directory`);
    await access(present, constants.R_OK | constants.X_OK);
    // Permissions do not say everything (a read-only mount, a full quota): only writing does.
    await rm(await mkdtemp(join(present, ".muster-doctor-")), { recursive: true });
  } catch (error) {
    return problem(`${present} cannot be written to: ${(error as Error).message}`);
  }
  const message =
    present === directory ? `${directory} is writable` : `${directory} will be created at the first start`;
  return { check: "data directory", verdict: "ok", message };
}

/** The path itself, or the nearest folder above it that is there. */
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
