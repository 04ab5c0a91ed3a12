import { stat } from "node:fs/promises";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "../package-folder.js";
import type { Finding } from "./finding.js";

// Tokens hold times, and the later of two writes wins, so clocks that differ lead to wrong results.
const MOST_DIFFERENCE_MS = 30_000;

/** The clock must be after the installation of this program, and must agree with the server's. */
export async function checkClock(now: number, serverTime: number | undefined): Promise<Finding> {
  const { mtimeMs: installedAt } = await stat(join(PACKAGE_FOLDER, "package.json"));
  return judgeClock(now, installedAt, serverTime);
}

export function judgeClock(now: number, installedAt: number, serverTime: number | undefined): Finding {
  const shown = new Date(now).toISOString();
  if (now < installedAt) {
    return { check: "time", verdict: "problem", message: `the clock says ${shown}, before Muster was installed here` };
  }
  const difference = serverTime === undefined ? 0 : Math.abs(now - serverTime);
  if (difference > MOST_DIFFERENCE_MS) {
    const seconds = Math.round(difference / 1_000);
    return { check: "time", verdict: "problem", message: `this clock and the server's differ by ${seconds} seconds` };
  }
  return { check: "time", verdict: "ok", message: shown };
}
