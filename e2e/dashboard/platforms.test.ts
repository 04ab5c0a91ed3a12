// @module-tag long
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createBrand } from "@muster/protocol";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guideBlock } from "../guides/kit/guide-block.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";

interface StoredPlatform {
  id: string;
  name: string;
  domains: string[];
  settings: Record<string, unknown>;
}

interface StoredKey {
  kind: string;
  key: string;
  domains: string[];
  apps: string[];
  trust_identify: boolean;
}

/** The input with a label. The list of its choices has the same label. */
function fieldOf(place: Page | Locator, label: string): Locator {
  return place.getByLabel(label).and(place.locator("input"));
}

describe.runIf(hasBrowser)("platforms", () => {
  let dashboard: Dashboard;
  let id: string;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme");
  });
  afterAll(() => dashboard.close());

  const stored = () => dashboard.api<StoredPlatform>("GET", `/${id}`);

  test("a platform is created, and its script tag can be copied", async () => {
    const context = await dashboard.signIn({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await dashboard.open("/platforms", context);
    await page.getByRole("heading", { name: "No website sends records yet" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create platform" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a platform" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Shop");
    await fieldOf(dialog, "Allowed domains").fill("example.com");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Create platform" }).click();
    await page.waitForURL(/\/platforms\/[0-9a-f]{24}$/);
    id = page.url().split("/").at(-1) ?? "";
    expect(await stored()).toMatchObject({ name: "Shop", domains: ["example.com"] });

    const tag = (await dashboard.api<{ html: string }>("GET", `/${id}/snippet`)).html;
    await page.getByText(tag).waitFor();
    await page.getByRole("button", { name: "Copy the script tag" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(tag);
    await page.getByText("Latest", { exact: true }).click();
    await page.getByText("/js/latest/muster.js").waitFor();
    await expectAccessible(page);
    await context.close();
  });

  test("a dialog that is closed while it creates a platform says that it is created, and leads nowhere", async () => {
    const page = await dashboard.open("/platforms");
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/v1/platforms", async (route) => {
      if (route.request().method() === "POST") await isReleased;
      await route.continue();
    });
    await page.getByRole("button", { name: "Create platform" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a platform" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Blog");
    await dialog.getByRole("button", { name: "Create platform" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    release();
    await page.getByText("Platform Blog created").waitFor();
    await page.getByRole("link", { name: "Blog" }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/platforms$/);
    const [blog] = (await dashboard.api<StoredPlatform[]>("GET", "/platforms")).filter(({ name }) => name === "Blog");
    await dashboard.api("DELETE", `/${blog?.id}`);
  });

  test("allowed domains and settings are changed at once, a wrong domain is refused in its place, and undo works", async () => {
    const page = await dashboard.open(`/platforms/${id}`);
    const domains = fieldOf(page, "Allowed domains");
    await domains.fill("https://shop.example.com");
    await page.keyboard.press("Enter");
    await page.getByText(/"https:\/\/shop.example.com" is no host/).waitFor();
    expect((await stored()).domains).toEqual(["example.com"]);

    await domains.fill("shop.example.com");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await stored()).domains).toEqual(["example.com", "shop.example.com"]);

    await page.getByRole("switch", { name: "Wait for consent" }).click();
    await expect.poll(async () => (await stored()).settings.consent).toBe("required");
    const notice = page.getByRole("alert").filter({ hasText: "Visitors are recorded after they agree" });
    await notice.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await stored()).settings.consent).toBe("not_required");

    await page.getByRole("textbox", { name: "Name" }).fill("Tea shop");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Tea shop" }).waitFor();
    // The heading changes before the server has answered.
    await expect.poll(async () => (await stored()).name).toBe("Tea shop");
  });

  test("a record from a page of the platform is seen at once", async () => {
    const page = await dashboard.open(`/platforms/${id}`);
    await page.getByText("Waiting for the first record from this platform…").waitFor();
    const response = await fetch(`${dashboard.url}/api/v1/${id}/records`, {
      method: "POST",
      headers: {
        "content-type": "text/plain",
        origin: "https://shop.example.com",
        [createBrand().headers.organization]: dashboard.organization.id,
      },
      body: JSON.stringify({
        bid: "browser",
        sid: "visit",
        sentAt: Date.now(),
        batch: [{ id: "1", type: "track", timestamp: Date.now(), body: { event: "Page viewed" } }],
      }),
    });
    expect(response.status).toBe(200);
    await page.getByText(/It works: the last record came/).waitFor();
  });

  test("a connector is deployed, moved and removed", async () => {
    await dashboard.api("POST", "/connectors", { name: "Banner" });
    const page = await dashboard.open(`/platforms/${id}`);
    await page.getByRole("button", { name: "Deploy a connector" }).click();
    const dialog = page.getByRole("dialog", { name: "Deploy a connector" });
    await fieldOf(dialog, "Connector").click();
    await page.getByRole("option", { name: "Banner" }).click();
    await dialog.getByRole("textbox", { name: "Element" }).fill("#banner");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Deploy connector" }).click();
    await page.getByText("At the end of the first element that matches #banner").waitFor();

    // A note under the mouse stays, and this one may lie over the button.
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: "Edit Banner" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Banner" });
    await fieldOf(edit, "Place").click();
    await page.getByRole("option", { name: "Instead of the element" }).click();
    await edit.getByRole("switch", { name: "In every element that matches" }).click();
    await edit.getByRole("button", { name: "Save placement" }).click();
    await page.getByText("Instead of every element that matches #banner").waitFor();
    const [deployment] = await dashboard.api<{ settings: object }[]>("GET", `/${id}/deployments`);
    expect(deployment?.settings).toMatchObject({ _placement: "replace", _selector: "#banner", _multi: true });

    await page.getByRole("button", { name: "Remove Banner" }).click();
    const confirm = page.getByRole("dialog", { name: "Remove Banner from Tea shop" });
    await confirm.getByText("The connector itself stays installed").waitFor();
    await confirm.getByRole("button", { name: "Remove connector" }).click();
    await page.getByText("No connector is embedded in the pages of this platform.").waitFor();
  });

  test("a platform is deleted only after its name was typed", async () => {
    const page = await dashboard.open("/platforms");
    await page.getByText("Tea shop").click();
    await page.getByRole("button", { name: "Delete platform" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Tea shop" });
    const confirm = dialog.getByRole("button", { name: "Delete platform" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox", { name: "Type Tea shop to confirm" }).fill("Tea shop");
    await confirm.click();
    await page.getByRole("heading", { name: "No website sends records yet" }).waitFor();
    expect(await dashboard.api<StoredPlatform[]>("GET", "/platforms")).toEqual([]);
  });

  test("a source is added, and its write keys are created, edited, replaced and deleted", async () => {
    const context = await dashboard.signIn({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await dashboard.open("/connectors", context);
    await page.getByRole("button", { name: "Add a source" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Shop server");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add source" }).click();
    await page.waitForURL(/\/connectors\/[0-9a-f]{24}\?tab=keys$/);
    const source = /[0-9a-f]{24}(?=\?)/.exec(page.url())?.[0] ?? "";
    const keys = () => dashboard.api<StoredKey[]>("GET", `/${source}/write_keys`);
    const [first] = await keys();

    // The key and a line with it are ready to be copied.
    const command = `curl -u ${first?.key}: ${dashboard.url}/v1/track -d '{"userId":"ada","event":"Signed up"}'`;
    await page.getByText("Never used").waitFor();
    // It only sends data: no message can be sent to it.
    await page.getByRole("switch", { name: "Shop server is switched on" }).waitFor();
    expect(await page.getByRole("button", { name: "Send test" }).count()).toBe(0);
    await page.getByRole("button", { name: "Copy the command" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(command);
    await promisify(execFile)("bash", ["-ec", command]);
    await page.getByText("Last used").waitFor();
    await page.getByRole("button", { name: "Hide key" }).click();
    expect(await page.content()).not.toContain(first?.key);

    await page.getByRole("button", { name: "Create page key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a page key" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Website");
    await dialog.getByRole("button", { name: "Create page key" }).click();
    await dialog.getByText("a page key needs at least one domain or app").waitFor();
    await fieldOf(dialog, "Allowed domains").fill("shop.example.com");
    await page.keyboard.press("Enter");
    await dialog.getByText(/they can write as any of your users/).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create page key" }).click();
    await page.getByText("Page key, public. Works on pages of shop.example.com.").waitFor();
    const [, website] = await keys();
    expect(website).toMatchObject({ kind: "page", domains: ["shop.example.com"], trust_identify: false });
    const snippet = guideBlock("docs/analytics-sdks.md", "snippet")
      .replaceAll("PAGE_KEY", website?.key ?? "")
      .replaceAll("https://muster.example.com", dashboard.url);
    await page.getByRole("button", { name: "Copy the snippet" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(snippet.trim());
    await page.getByRole("dialog").waitFor({ state: "detached" });

    const act = async (action: string) => {
      await page.getByRole("button", { name: "More actions for Website" }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Edit");
    const edited = page.getByRole("dialog", { name: "Edit Website" });
    await fieldOf(edited, "Allowed apps").fill("com.example.shop");
    await page.keyboard.press("Enter");
    await edited.getByLabel("Trust who its calls say they are").locator("..").click();
    await expectAccessible(page);
    await edited.getByRole("button", { name: "Save key" }).click();
    await page.getByText("Whoever reads this key can write as any of your users.").waitFor();
    const [, changed] = await keys();
    expect(changed).toMatchObject({ apps: ["com.example.shop"], trust_identify: true });
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await act("Replace");
    await page.getByRole("button", { name: "Replace key" }).click();
    await page.getByText("Website is replaced").waitFor();
    expect((await keys())[1]?.key).not.toBe(changed?.key);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await act("Delete");
    await page.getByRole("button", { name: "Delete key" }).click();
    await page.getByText("Website is deleted").waitFor();
    expect(await keys()).toHaveLength(1);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await context.close();
  });
});
