// @module-tag long
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { Sender } from "./kit/sender.js";

describe.runIf(hasBrowser)("home", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme");
  });
  afterAll(() => dashboard.close());

  test("an empty organization shows the ways in, and reacts when the first record arrives", async () => {
    const page = await dashboard.open();
    await page.getByText("Waiting for your first record…").waitFor();
    for (const name of ["From your code", "From a terminal", "From a website", "From a file"]) {
      await page.getByRole("heading", { name }).waitFor();
    }
    const { namespace } = dashboard.organization;
    const command = await page.locator("pre").innerText();
    expect(command).toContain(`--org ${namespace})"\ncurl -u "$MUSTER_WRITE_KEY:" ${dashboard.url}/v1/identify`);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Create a platform" }).click();
    await page.getByRole("dialog", { name: "Create a platform" }).waitFor();
    await page.goBack();
    await page.getByText("Waiting for your first record…").waitFor();

    // What the screen tells people to do is what makes it change.
    const environment = { ...process.env, MUSTER_ADMIN_TOKEN: inject("sharedServer").adminToken };
    await promisify(execFile)("bash", ["-ec", command], { env: environment });
    await page.getByText("Your first record has arrived").waitFor();
    await page.getByTestId("figure-users").getByText("1", { exact: true }).waitFor();
  });

  test("figures follow what is sent, with the lag as it was measured", async () => {
    const page = await dashboard.open();
    await page.getByTestId("figure-users").waitFor();
    const sender = await Sender.connect(dashboard);
    const users = Array.from({ length: 49 }, (_, index) => sender.entry("traits", `user-${index}`, { plan: "pro" }));
    await sender.send(...users);
    await page.getByTestId("figure-users").getByText("50", { exact: true }).waitFor();
    await page.getByText("50 records in the last hour").waitFor();
    const rate = page.getByTestId("figure-rate");
    await expect.poll(async () => Number(await rate.innerText())).toBeGreaterThan(0);
    await page.getByRole("img", { name: /Users and accounts by day/ }).waitFor();
    const search = page.getByRole("row", { name: /^Search/ });
    await search.getByText("up to date").waitFor();
    expect(await search.innerText()).toMatch(/\d+(\.\d)? m?s/);
    await page.getByRole("link", { name: "Healthy, fresh" }).waitFor();
    await expectAccessible(page);
  });

  test("segments that moved are listed, and lead to the segment", async () => {
    const query = { term: { plan: "pro" } };
    const segment = { name: "Professionals", query, predicate: {} };
    const { id } = await dashboard.api<{ id: string }>("POST", "/users_segments", segment);
    // Those who match when it is created have not entered it.
    const size = async () => (await dashboard.api<{ stats: { users: number } }>("GET", `/${id}`)).stats.users;
    await expect.poll(size, { timeout: 60_000 }).toBe(50);
    const sender = await Sender.connect(dashboard);
    await sender.send(...["a", "b"].map((name) => sender.entry("traits", name, { plan: "pro" })));
    await expect.poll(size, { timeout: 60_000 }).toBe(52);
    const page = await dashboard.open();
    const listed = page.getByRole("region", { name: "Segments that moved most" }).getByRole("listitem");
    await listed.filter({ hasText: "Professionals" }).getByText("+2").waitFor();
    await listed.getByRole("link", { name: "Professionals" }).click();
    await page.waitForURL(`**/segments/${id}`);
  });

  test("what needs somebody is listed with its action", async () => {
    const { id } = await dashboard.api<{ id: string }>("POST", "/connectors", { name: "Mailer" });
    await dashboard.api("PUT", `/${id}/status`, { status: "setupRequired", messages: ["Give an API key."] });
    const page = await dashboard.open();
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByText("Mailer must be set up: Give an API key.").waitFor();
    const connectors = page.getByRole("region", { name: "Connectors" }).getByRole("listitem");
    expect(await connectors.first().innerText()).toContain("Mailer");
    await expectAccessible(page);
    await attention.getByRole("link", { name: "Set up" }).click();
    await page.waitForURL(`**/connectors/${id}?tab=settings`);
  });

  test("it fits on a phone", async () => {
    const context = await dashboard.signIn({ viewport: { width: 390, height: 844 } });
    const page = await dashboard.open("", context);
    await page.getByTestId("figure-users").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await context.close();
  });
});
