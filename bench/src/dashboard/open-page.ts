import { setTimeout as wait } from "node:timers/promises";
import type { BrowserContext, CDPSession, Page } from "playwright-core";

const LOOK_EVERY_MS = 100;
/** Processes of Chromium that together compute less than this between two looks are idle. */
const IDLE_SECONDS = 0.02;
const IDLE_LOOKS = 3;
const LIMIT_MS = 30_000;

/**
 * Opens a page in a window of its own, and waits until the window is ready. The address bar of Chromium is made of pages too:
 * a new window computes 700 ms for them, which would compete with the screen. Somebody who reloads a page has had the window
 * before.
 */
export async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const browser = context.browser();
  if (!browser) throw new Error("The window belongs to no browser.");
  const session = await browser.newBrowserCDPSession();
  const deadline = performance.now() + LIMIT_MS;
  let before = await computedSeconds(session);
  for (let idle = 0; idle < IDLE_LOOKS; ) {
    if (performance.now() > deadline) throw new Error("Chromium was never idle.");
    await wait(LOOK_EVERY_MS);
    const now = await computedSeconds(session);
    idle = now - before < IDLE_SECONDS ? idle + 1 : 0;
    before = now;
  }
  await session.detach();
  return page;
}

async function computedSeconds(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
