import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** Builds the dashboard when its sources have changed, so that what is measured is the code of today. */
export async function buildDashboard(): Promise<void> {
  await promisify(execFile)(process.execPath, ["scripts/build.js", "dashboard"], { cwd: REPOSITORY });
}
