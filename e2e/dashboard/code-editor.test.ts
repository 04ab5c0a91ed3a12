import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, hasBrowser } from "./kit/dashboard.js";

const EDITED = '{"term": {"plan": "office"}}';

describe.runIf(hasBrowser)("the editor of code", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew();
  });
  afterAll(() => dashboard.close());

  /** A page with an empty query in the plain editor. The code of the full one arrives when the test says so. */
  async function openPlain(): Promise<{ page: Page; deliver: () => void }> {
    const page = await dashboard.windowOfTest();
    let deliver = () => {};
    const mayArrive = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    await page.route("**/assets/code-mirror-*.js", async (route) => {
      await mayArrive;
      await route.continue().catch(() => undefined);
    });
    const { id } = await dashboard.api<{ id: string }>("POST", "/users_segments", {
      name: `Edited ${crypto.randomUUID()}`,
      type: "users_segment",
      query: { exists: { field: "email" } },
      predicate: {},
    });
    await page.goto(dashboard.address(`/segments/${id}?view=json`));
    await plainEditor(page).click();
    await page.keyboard.press("ControlOrMeta+a");
    return { page, deliver };
  }

  const plainEditor = (page: Page) => page.locator("textarea[aria-label='Query as JSON']");
  const fullEditor = (page: Page) => page.locator(".cm-content[aria-label='Query as JSON']");

  test("goes on with what was typed before its code had arrived, at the same place", async () => {
    const { page, deliver } = await openPlain();
    await page.keyboard.insertText(EDITED);
    for (let step = 0; step < "office".length + 3; step++) await page.keyboard.press("ArrowLeft");
    deliver();
    await fullEditor(page).waitFor();
    expect(await plainEditor(page).count()).toBe(0);
    await page.keyboard.insertText("large ");
    await expect.poll(() => fullEditor(page).innerText(), PATIENCE).toBe(EDITED.replace("office", "large office"));
  });

  test("keeps a letter that comes in the moment in which it appears", async () => {
    const { page, deliver } = await openPlain();
    // The editor is in the page then, and React has not yet run what comes after the picture.
    await page.evaluate(`new MutationObserver((_changes, observer) => {
      if (!document.querySelector(".cm-content")) return;
      observer.disconnect();
      document.execCommand("insertText", false, ${JSON.stringify(EDITED)});
    }).observe(document, { childList: true, subtree: true })`);
    deliver();
    await fullEditor(page).waitFor();
    await expect.poll(() => fullEditor(page).innerText(), PATIENCE).toBe(EDITED);
    // What the page knows of the text, not only what the editor shows.
    await page.getByText("Builder", { exact: true }).click();
    await page.getByText("office").first().waitFor();
  });
});
