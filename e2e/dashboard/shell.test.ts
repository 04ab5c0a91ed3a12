// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser, violationsIn } from "./kit/dashboard.js";
import { firstLoadBytes, MAX_FIRST_LOAD_BYTES } from "./kit/first-load.js";

/** The address of Insights with a question of this kind. */
function insights(kind: "funnel" | "retention"): string {
  const question = { [kind]: kind === "funnel" ? { steps: [{}, {}], within: "7d" } : {} };
  return `/insights?q=${encodeURIComponent(JSON.stringify(question))}`;
}

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

  test("an address, an organization or an object that is not there has a page of its own", async () => {
    const page = await dashboard.open("/nothing");
    await page.getByRole("heading", { level: 1, name: "There is nothing at this address" }).waitFor();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await expectAccessible(page);

    expect((await page.goto(`${dashboard.url}/nonsense`))?.status()).toBe(404);
    await page.getByRole("heading", { level: 1, name: "There is nothing at this address" }).waitFor();
    await expectAccessible(page);

    await page.goto(`${dashboard.url}/o/000000000000000000000000/users`);
    await page.getByRole("heading", { level: 1, name: "There is no such organization" }).waitFor();
    await page.getByRole("link", { name: "Acme & sons" }).first().waitFor();
    await expectAccessible(page);

    for (const [path, noun] of [
      ["/users/01a1ee717141103d36fc3e4e", "user"],
      ["/segments/01a1ee7188a721eda6e71492", "segment"],
      ["/platforms/01a1ee7188a721eda6e71492", "platform"],
    ]) {
      await page.goto(dashboard.address(path));
      await page.getByText(`There is no such ${noun}`).waitFor();
    }
  });

  test("no screen loads more than 250 kB of scripts before somebody touches it, or breaks the content security policy", async () => {
    const demo = await Dashboard.onDemo();
    const [user] = await demo
      .api<{ data: { id: string }[] }>("POST", "/search/user_reports", { query: {}, per_page: 1 })
      .then(({ data }) => data);
    const [segment] = await demo.api<{ id: string }[]>("GET", "/users_segments");
    const [connector] = await demo.api<{ id: string }[]>("GET", "/connectors");
    const context = await demo.signIn();
    const violations = await violationsIn(context);
    const weights: Record<string, number> = {};
    const paths = [
      "",
      "/users",
      "/accounts",
      "/entities",
      `/users/${user?.id}`,
      "/segments",
      "/segments/new",
      "/segments/overlap",
      ...["build", "members", "history", "versions", "uses"].map((tab) => `/segments/${segment?.id}?tab=${tab}`),
      "/insights",
      insights("funnel"),
      insights("retention"),
      "/events",
      "/events?tab=history",
      "/events?tab=names",
      "/attributes",
      "/connectors",
      "/connectors?view=gallery",
      ...["overview", "settings", "keys", "logs", "deliveries"].map((tab) => {
        return `/connectors/${connector?.id}?tab=${tab}`;
      }),
      ...["import", "export", "jobs"].map((tab) => `/import?tab=${tab}`),
      "/platforms",
      ...[
        "members",
        "account",
        "purposes",
        "organization",
        "credentials",
        "apart",
        "retention",
        "health",
        "audit",
        "api",
      ].map((tab) => {
        return `/settings?tab=${tab}`;
      }),
    ];
    // Three at a time: each mostly waits for what follows the first picture.
    while (paths.length > 0) {
      const some = paths.splice(0, 3);
      const bytes = await Promise.all(some.map((path) => firstLoadBytes(context, demo.address(path))));
      for (const [index, path] of some.entries()) weights[path] = bytes[index]!;
    }
    const tooHeavy = Object.entries(weights).filter(([, bytes]) => bytes === 0 || bytes > MAX_FIRST_LOAD_BYTES);
    expect(tooHeavy).toEqual([]);
    expect(violations).toEqual([]);
    await demo.close();
  });

  test("a page without a connection says that it may be old, until the connection is back", async () => {
    const page = await dashboard.open("/segments");
    await page.getByRole("heading", { level: 1, name: "Segments" }).waitFor();
    await page.context().setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await page.context().setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "hidden" });
  });

  test("the question mark shows the shortcuts, and j and k lead through a list that is no table", async () => {
    const page = await dashboard.open();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.getByRole("link", { name: "Send a first record" }).waitFor();
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Send a first record");
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Make a segment");
    await page.keyboard.press("k");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Send a first record");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Next row").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
  });

  test("somebody who runs the server creates an organization, whose first steps end by themselves", async () => {
    const page = await dashboard.open();
    await page.getByRole("button", { name: "Organization Acme & sons" }).click();
    await page.getByRole("menuitem", { name: "New organization…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Create an organization" });
    const name = `Zoë ${Date.now()}`;
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill(name);
    expect(await dialog.getByRole("textbox", { name: "Namespace" }).inputValue()).toMatch(/^zoe-\d+$/);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create organization" }).click();
    await page.getByRole("button", { name: `Organization ${name}` }).waitFor();
    await page.getByRole("region", { name: "First steps" }).getByText("Install a connector").waitFor();
    const demo = await Dashboard.onDemo();
    const full = await demo.open();
    await full.getByTestId("figure-users").waitFor();
    await full.getByRole("region", { name: "First steps" }).getByLabel("Done").first().waitFor();
    await demo.close();
  });

  test("at twice the size no screen scrolls sideways", async () => {
    const demo = await Dashboard.onDemo();
    const page = await demo.open("", await demo.signIn({ viewport: { width: 640, height: 400 } }));
    for (const path of [
      "",
      "/users",
      "/segments/new",
      "/events",
      "/attributes",
      "/connectors",
      "/import",
      "/settings",
    ]) {
      await page.goto(demo.address(path));
      await page.getByRole("heading", { level: 1 }).waitFor();
      const width = await page.evaluate("document.scrollingElement.scrollWidth");
      expect([path, width]).toEqual([path, 640]);
    }
    await demo.close();
  });
});
