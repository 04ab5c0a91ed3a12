import { createBrand } from "@muster/protocol";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";

interface StoredPlatform {
  id: string;
  name: string;
  domains: string[];
  settings: Record<string, unknown>;
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
});
