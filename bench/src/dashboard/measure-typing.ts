import type { BrowserContext, Page } from "playwright-core";

const DIGITS = ["1", "3", "7"];

/** The milliseconds from each key press in the value of a clause until the new count is painted. */
export async function measureTyping(context: BrowserContext, address: string, keys: number): Promise<number[]> {
  const page = await context.newPage();
  await page.goto(address);
  const count = page.getByTestId("segment-count");
  await count.filter({ hasText: /\d/ }).waitFor();
  await page.evaluate(watch);
  const input = page.getByLabel("Value of mrr");
  await input.click();
  await input.press("End");
  const times: number[] = [];
  for (let n = 0; n < keys; n++) {
    // Two digits are added, then removed: each key changes the count.
    const key = n % 4 < 2 ? (DIGITS[n % DIGITS.length] ?? "1") : "Backspace";
    times.push(await pressAndWait(page, key));
  }
  await context.close();
  return times;
}

async function pressAndWait(page: Page, key: string): Promise<number> {
  await page.evaluate(() => Object.assign(window, { paintedMs: undefined }));
  await page.keyboard.press(key);
  const painted = await page.waitForFunction(() => (window as { paintedMs?: number }).paintedMs, undefined, {
    polling: 10,
    timeout: 10_000,
  });
  return (await painted.jsonValue()) as number;
}

/** In the page: notes how long after the last key the count has changed and was painted. */
function watch(): void {
  let pressedAt = 0;
  addEventListener("keydown", () => (pressedAt = performance.now()), true);
  const place = document.querySelector('[data-testid="segment-count"]');
  if (!place) throw new Error("The screen has no count.");
  const observer = new MutationObserver(() => {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => Object.assign(window, { paintedMs: performance.now() - pressedAt })),
    );
  });
  observer.observe(place, { childList: true, characterData: true, subtree: true });
}
