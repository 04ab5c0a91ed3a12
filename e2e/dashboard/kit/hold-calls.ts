import type { Page } from "playwright-core";

/** Holds the calls of a page to these addresses back, until what it returns is called. */
export async function hold(page: Page, address: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, (route) => released.then(() => route.continue()));
  return () => release();
}
