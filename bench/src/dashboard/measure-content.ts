import type { BrowserContext } from "playwright-core";
import { openPage } from "./open-page.js";

/** A screen, and what its readers came for. */
export interface Screen {
  name: string;
  path: string;
  /** A selector of the content, which is not there while anything is still being read. */
  content: string;
}

export interface ContentTimes {
  /** From the navigation until the content is painted. */
  elapsedMs: number;
  /** What the page's thread has computed until then. It says about the screen what a busy machine hides. */
  processorMs: number;
  requests: number;
  /** The addresses of the scripts among them. */
  scripts: string[];
}

/**
 * How long it takes from the navigation until the content of a screen is painted. A page of a new window has nothing in its
 * cache, as after a hard reload.
 */
export async function measureContent(context: BrowserContext, address: string, content: string): Promise<ContentTimes> {
  const page = await openPage(context);
  let requests = 0;
  const scripts = new Set<string>();
  page.on("request", (request) => {
    requests++;
    if (request.resourceType() === "script") scripts.add(request.url());
  });
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  // The page has no code of ours, so the selector is part of the text.
  await page.addInitScript((selector) => {
    const look = () => {
      if (!document.querySelector(selector) || document.querySelector('[aria-busy="true"]')) return;
      observer.disconnect();
      // The frame that is drawn next contains it; the one after it comes when that was painted.
      requestAnimationFrame(() => requestAnimationFrame(() => Object.assign(window, { painted: performance.now() })));
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
  }, content);
  // The screen may replace its address before it is loaded.
  await page.goto(address, { waitUntil: "commit" });
  const painted = await page
    .waitForFunction(() => (window as { painted?: number }).painted)
    .catch((cause: unknown) => {
      throw new Error(`${address} never showed ${content}.`, { cause });
    });
  const { metrics } = await session.send("Performance.getMetrics");
  const taskSeconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  const times = {
    elapsedMs: (await painted.jsonValue()) as number,
    processorMs: taskSeconds * 1_000,
    requests,
    scripts: [...scripts],
  };
  await context.close();
  return times;
}
