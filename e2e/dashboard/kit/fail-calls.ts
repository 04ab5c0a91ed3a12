import type { Page } from "playwright-core";

/** What the page shows when a call fails that `failCalls` has caught. */
export const FAILED = "This cannot be read now.";

/** Lets the calls of a page to these addresses fail. Call what it returns to let them through again. */
export async function failCalls(page: Page, address: string): Promise<() => Promise<void>> {
  // A refusal, because the dashboard tries again by itself after other failures.
  const json = { error: { code: "forbidden", message: FAILED } };
  await page.route(address, (route) => route.fulfill({ status: 403, json }));
  return () => page.unroute(address);
}
