import type { BrowserContext } from "playwright-core";
import { openPage } from "./open-page.js";

/** The bytes that a browser without a cache loads for a page. */
export async function measureFirstLoad(
  context: BrowserContext,
  address: string,
): Promise<{ codeBytes: number; fontBytes: number }> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const types = new Map<string, string>();
  const totals = { codeBytes: 0, fontBytes: 0 };
  session.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  // The bodies as they are sent, without headers.
  session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId);
    if (type === "Script" || type === "Stylesheet" || type === "Document") totals.codeBytes += encodedDataLength;
    if (type === "Font") totals.fontBytes += encodedDataLength;
  });
  await session.send("Network.enable");
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await context.close();
  return totals;
}

/** The milliseconds from the navigation until the first row of a list is painted. */
export async function measureListPaint(context: BrowserContext, address: string): Promise<number> {
  const page = await openPage(context);
  await page.addInitScript(() => {
    const look = () => {
      if (!document.querySelector('[role="row"][aria-rowindex="2"]')) return;
      observer.disconnect();
      // The frame that is drawn next contains the row; the one after it comes when that was painted.
      requestAnimationFrame(() => requestAnimationFrame(() => Object.assign(window, { painted: performance.now() })));
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true });
  });
  await page.goto(address);
  const painted = await page.waitForFunction(() => (window as { painted?: number }).painted);
  const ms = (await painted.jsonValue()) as number;
  await context.close();
  return ms;
}
