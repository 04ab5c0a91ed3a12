import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";

describe.runIf(hasBrowser)("the frame of the dashboard", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme & sons");
  });
  afterAll(() => dashboard.close());

  test("the rail leads to every screen, and nothing breaks the content security policy", async () => {
    const page = await dashboard.open();
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    for (const name of [
      "Users",
      "Accounts",
      "Segments",
      "Insights",
      "Events",
      "Attributes",
      "Connectors",
      "Import & export",
      "Platforms",
      "Settings",
      "Home",
    ]) {
      await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await expectAccessible(page);
    }
    expect(problems).toEqual([]);
  });

  test("after a switch to another organization, nothing of the one before is shown", async () => {
    const other = await Dashboard.onDemo();
    const page = await other.open();
    await page.getByTestId("figure-users").waitFor();
    // The next organization answers when the test says so.
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => {
      const mayAnswer = new Promise<void>((go) => {
        answer = go;
      });
      void page.route("**/api/v1/overview", async (route) => {
        const headers = await route.request().allHeaders();
        if (headers["svc-organization"] === dashboard.organization.id) {
          resolve();
          await mayAnswer;
        }
        await route.continue().catch(() => undefined);
      });
    });
    await page.getByRole("button", { name: `Organization ${other.organization.name}` }).click();
    // By the keyboard: the list grows while other tests create organizations, and a click could hit the one beside it.
    await page.getByRole("menuitem", { name: "Acme & sons" }).press("Enter");
    await page.getByRole("button", { name: "Organization Acme & sons" }).waitFor();
    await isAsked;
    expect(await page.getByTestId("figure-users").count()).toBe(0);
    answer();
    await page.getByText("Waiting for your first record…").waitFor();
    await other.close();
  });

  test("an address that is not there says so", async () => {
    const page = await dashboard.open("/nothing");
    await page.getByText("There is nothing at this address").waitFor();
  });
});
