import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContext } from "playwright-core";

const DIST = fileURLToPath(new URL("../../../apps/dashboard/dist", import.meta.url));

/** Of compressed scripts, for any screen that somebody opens first. */
export const MAX_FIRST_LOAD_BYTES = 250_000;

const LONGEST_WAIT_MS = 2_000;

/** The compressed scripts that a screen loads before somebody touches it. */
export async function firstLoadBytes(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  const scripts = new Set<string>();
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith(".js")) scripts.add(pathname);
  });
  await page.goto(address, { waitUntil: "load" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  // Parts that are still being read show grey lines, and their scripts and charts follow. The palette comes with the first
  // key or move of the mouse.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
  // Live screens are never idle.
  await page.waitForLoadState("networkidle", { timeout: LONGEST_WAIT_MS }).catch(() => undefined);
  await page.waitForTimeout(700);
  await page.close();
  return [...scripts].reduce((sum, script) => sum + statSync(`${DIST}${script}.gz`).size, 0);
}
