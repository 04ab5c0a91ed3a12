// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";

describe.runIf(hasBrowser)("settings", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme");
  });
  afterAll(() => dashboard.close());

  test("an owner renames the organization, and can undo it", async () => {
    const page = await dashboard.open("/settings");
    await page.getByLabel("Name", { exact: true }).fill("Acme Europe");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.getByText("The organization is now called Acme Europe.").waitFor();
    const named = () => dashboard.api<{ name: string }>("GET", `/${dashboard.organization.id}`);
    expect(await named()).toMatchObject({ name: "Acme Europe" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The organization is now called Acme.").waitFor();
    expect(await named()).toMatchObject({ name: "Acme" });
    await expectAccessible(page);
  });

  test("a time says the exact one on hover, until the pointer goes or Escape is pressed", async () => {
    const page = await dashboard.open("/settings?tab=audit");
    const time = page.locator("main table time").first();
    const tip = page.getByRole("tooltip");
    await time.hover();
    await tip.waitFor();
    expect(await tip.innerText()).toMatch(/\d:\d\d/);
    await page.mouse.move(0, 0);
    await tip.waitFor({ state: "detached" });
    await time.hover();
    await tip.waitFor();
    await page.keyboard.press("Escape");
    await tip.waitFor({ state: "detached" });
  });

  test("a secret is shown once, works, and stops working when it is replaced", async () => {
    const page = await dashboard.open("/settings?tab=credentials");
    await page.getByRole("button", { name: "Create credentials" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Website backend");
    await page.getByRole("dialog").getByRole("button", { name: "Create credentials" }).click();
    const shown = page.getByRole("status").filter({ hasText: "Credentials of Website backend" });
    const value = (label: string) => shown.locator("dt", { hasText: label }).locator("+ dd").innerText();
    const [id, secret] = [await value("Id"), await value("Secret")];
    const tryThem = async () => {
      const headers = {
        "Svc-Organization": dashboard.organization.id,
        "Svc-App-Id": id.trim(),
        "Svc-Access-Token": secret.trim(),
      };
      return (await fetch(`${dashboard.url}/api/v1/app`, { headers })).status;
    };
    expect(await tryThem()).toBe(200);
    await expectAccessible(page);
    await page.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(secret.trim());

    const row = page.getByRole("row").filter({ hasText: "Website backend" });
    await row.getByRole("button", { name: "Replace secret" }).click();
    await page.getByText("The present secret stops working at once").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Replace secret" }).click();
    await shown.waitFor();
    expect(await tryThem()).toBe(401);
  });

  test("health, retention and the addresses of the API are told in words", async () => {
    const page = await dashboard.open("/settings?tab=health");
    await page.getByText("It answered in").first().waitFor();
    await page.getByText("Question engine").waitFor();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "Retention" }).click();
    await page.getByText("EXTRACT_RETENTION_DAYS").waitFor();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "API" }).click();
    await page.getByText(`${dashboard.url}/firehose`).waitFor();
    await expectAccessible(page);
  });

  test("an organization is deleted only after its namespace was typed", async () => {
    const other = await Dashboard.onNew("To be removed");
    const page = await other.open("/settings");
    await page.getByRole("button", { name: "Delete organization" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This cannot be undone.").waitFor();
    const confirm = dialog.getByRole("button", { name: "Delete organization" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${other.organization.namespace} to confirm`).fill(other.organization.namespace);
    await confirm.click();
    await page.waitForURL((url) => !url.pathname.includes(other.organization.id));
    const all = await dashboard.api<{ id: string }[]>("GET", "/organizations?per_page=1000");
    expect(all.map(({ id }) => id)).not.toContain(other.organization.id);
    await other.close();
  });
});
