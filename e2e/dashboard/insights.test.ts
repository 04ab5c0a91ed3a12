// @module-tag long
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { Sender } from "./kit/sender.js";

let dashboard: Dashboard;

interface Funnel {
  groups: { steps: { users: number }[] }[];
}

describe.runIf(hasBrowser)("insights", () => {
  beforeAll(async () => {
    dashboard = await Dashboard.onNew();
    const sender = await Sender.connect(dashboard);
    const did = (user: string, event: string, properties: object = {}) =>
      sender.entry("track", user, { event, properties });
    await sender.send(did("ann", "Visited", { from: "ad" }), did("bob", "Visited", { from: "ad" }));
    await sender.send(did("cid", "Visited", { from: "search" }));
    await sender.send(did("ann", "Ordered", { total: 30 }), did("bob", "Returned"));
    const question = { steps: [{ event: "Visited" }, { event: "Ordered" }] };
    await vi.waitUntil(async () => {
      const { groups } = await dashboard.api<Funnel>("POST", "/insights/funnel", question);
      return groups[0]?.steps[0]?.users === 3 && groups[0].steps[1]?.users === 1;
    }, PATIENCE);
  });
  afterAll(() => dashboard.close());

  const choose = async (page: Page, field: string, option: string) => {
    await page
      .getByRole("combobox", { name: field })
      .or(page.getByLabel(field, { exact: true }))
      .first()
      .click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const people = (page: Page) => page.getByRole("dialog").getByRole("list", { name: "Users behind the number" });

  test("a trend counts, breaks down, compares, and lists the users under each number", async () => {
    const page = await dashboard.open();
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Insights" }).click();
    await choose(page, "Events of series 1", "Visited");
    const numbers = page.getByRole("table", { name: "Numbers of the trend" });
    await numbers.getByRole("button", { name: /^Visited, .*: 3$/ }).click();
    await vi.waitUntil(async () => (await people(page).getByRole("listitem").count()) === 3, PATIENCE);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Close the panel" }).click();

    await choose(page, "Break down by", "from");
    await numbers.getByRole("button", { name: /^ad, .*: 2$/ }).click();
    await vi.waitUntil(async () => (await people(page).getByRole("listitem").count()) === 2, PATIENCE);
    await page.getByRole("button", { name: "Close the panel" }).click();
    await page.getByLabel("Compare with the time before").check();
    await numbers.getByRole("columnheader", { name: "ad, before" }).waitFor();
    await page.getByRole("img", { name: "Trend" }).waitFor();
    await expectAccessible(page);

    // The address is the question: a colleague who opens it sees the same.
    const shared = await dashboard.windowOfTest();
    await shared.goto(page.url());
    await shared.getByRole("button", { name: /^ad, .*: 2$/ }).waitFor();
  });

  test("a time that no choice has is told, and two days can be chosen instead", async () => {
    const question = {
      trend: { series: [{ measure: "count", event: "Visited" }], interval: "day", from: "now-45d/d", to: "now" },
    };
    const page = await dashboard.open(`/insights?q=${encodeURIComponent(JSON.stringify(question))}`);
    await page.getByRole("button", { name: /^Visited, .*: 3$/ }).waitFor();
    const time = page
      .getByRole("combobox", { name: "Time" })
      .or(page.getByLabel("Time", { exact: true }))
      .first();
    expect(await time.inputValue()).toBe("From 45 days ago to now");
    await choose(page, "Time", "Between two days");
    await page.getByRole("button", { name: /^Visited, .*: 3$/ }).waitFor();
    expect(await page.getByLabel("From", { exact: true }).inputValue()).toMatch(/^\d{4}-\d\d-\d\d$/);
    await page.getByLabel("From", { exact: true }).fill("");
    expect(await page.getByLabel("To, not included").inputValue()).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test("a condition on a property filters the events of a series", async () => {
    const page = await dashboard.open("/insights");
    await choose(page, "Events of series 1", "Visited");
    const condition = page.getByRole("combobox", { name: "Add a condition on a property of Visited" });
    await condition.fill("from");
    await page.getByRole("option", { name: "from" }).click();
    await page
      .getByRole("textbox", { name: "from" })
      .or(page.getByRole("combobox", { name: "from" }))
      .last()
      .fill("search");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Visited \(filtered\), .*: 1$/ }).waitFor();
  });

  test("from a step of a funnel to a segment of those who dropped", async () => {
    const page = await dashboard.open("/insights");
    await page.getByText("Funnel", { exact: true }).click();
    await choose(page, "Event of step 1", "Visited");
    await choose(page, "Event of step 2", "Ordered");
    await page.getByRole("button", { name: "Step 2, Ordered: 1 user" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "2 dropped after step 1, Visited" }).click();
    await vi.waitUntil(async () => (await people(page).getByRole("listitem").count()) === 2, PATIENCE);
    const panel = page.getByRole("dialog");
    await panel.getByLabel("Segment of these users").fill("Did not order");
    await panel.getByRole("button", { name: "Create segment" }).click();
    await page.waitForURL(/\/segments\//);
    await vi.waitUntil(async () => {
      const segments = await dashboard.api<{ name: string; stats: { users?: number } }[]>("GET", "/segments");
      return segments.find(({ name }) => name === "Did not order")?.stats.users === 2;
    }, PATIENCE);
  });

  test("the list under a number closes when another question is asked", async () => {
    const page = await dashboard.open("/insights");
    // The panel does not cover the question.
    await page.setViewportSize({ width: 1_900, height: 900 });
    await choose(page, "Events of series 1", "Visited");
    await page.getByRole("button", { name: /^Visited, .*: 3$/ }).click();
    await vi.waitUntil(async () => (await people(page).getByRole("listitem").count()) === 3, PATIENCE);
    await choose(page, "Events of series 1", "Returned");
    await page.getByRole("button", { name: /^Returned, .*: 1$/ }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await choose(page, "Events of series 1", "Visited");
    await page.getByRole("button", { name: /^Visited, .*: 3$/ }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a saved insight that cannot be read, or was removed, is not another question without a word", async () => {
    const page = await dashboard.open("/insights?saved=1000000");
    await page.getByText(/^The saved insight was removed\./).waitFor();
    await page.getByRole("img", { name: "Trend" }).waitFor();

    const isList = (address: URL) => address.pathname === "/api/v1/insights";
    await page.route(isList, (route) => route.fulfill({ status: 403, json: { error: { message: "Not now." } } }));
    await page.reload();
    await page.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor();
    expect(await page.getByRole("img", { name: "Trend" }).count()).toBe(0);
    await page.getByRole("button", { name: "Saved insights" }).click();
    await page.getByRole("menuitem", { name: "Try again" }).waitFor();
    expect(await page.getByText("No saved insights yet").count()).toBe(0);
    await page.unroute(isList);
    await page.getByRole("menuitem", { name: "Try again" }).click();
    await page.getByText(/^The saved insight was removed\./).waitFor();
  });

  test("retention shows cohorts, and the numbers can be taken along as CSV", async () => {
    const page = await dashboard.open("/insights");
    await page.getByText("Retention", { exact: true }).click();
    await choose(page, "Event that users begin with", "Visited");
    await page.getByRole("button", { name: /: 3 users began$/ }).waitFor();
    await page.getByRole("button", { name: /2 users, came back in/ }).click();
    await vi.waitUntil(async () => (await people(page).getByRole("listitem").count()) === 2, PATIENCE);
    await page.getByRole("button", { name: "Close the panel" }).click();
    await expectAccessible(page);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(await readFile(await file.path(), "utf8")).toMatch(/^at,users,returned_0/);
  });

  test("a saved insight becomes a card of the home, which is moved and removed", async () => {
    const page = await dashboard.open("/insights");
    await choose(page, "Events of series 1", "Visited");
    const save = async (name: string) => {
      await page.getByRole("button", { name: "Save as…" }).click();
      await page.getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Save insight" }).click();
      await page.getByRole("button", { name: "Show on Home" }).click();
      await page.getByRole("button", { name: "Remove from Home" }).waitFor();
    };
    await save("Visits");
    await page.getByText("Funnel", { exact: true }).click();
    await choose(page, "Event of step 1", "Visited");
    await save("Visit to anything");

    await page.goto(dashboard.address());
    const cards = page.getByRole("region", { name: "Insights" }).getByRole("list").first();
    const names = () => cards.getByRole("link").allTextContents();
    await vi.waitUntil(async () => (await names()).join() === "Visits,Visit to anything", PATIENCE);
    await page.getByRole("img", { name: "Visits" }).waitFor();
    await page.getByRole("list", { name: "Funnel" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Move Visit to anything forward" }).focus();
    await page.keyboard.press("Enter");
    await vi.waitUntil(async () => (await names()).join() === "Visit to anything,Visits", PATIENCE);
    await page.reload();
    await vi.waitUntil(async () => (await names()).join() === "Visit to anything,Visits", PATIENCE);
    await page
      .getByRole("listitem", { name: "Visits" })
      .dragTo(page.getByRole("listitem", { name: "Visit to anything" }));
    await vi.waitUntil(async () => (await names()).join() === "Visits,Visit to anything", PATIENCE);
    await page.getByRole("button", { name: "Remove Visits from Home" }).click();
    await vi.waitUntil(async () => (await names()).join() === "Visit to anything", PATIENCE);
    await page.getByRole("button", { name: "Add a card" }).click();
    await page.getByRole("menuitem", { name: "Visits" }).click();
    await vi.waitUntil(async () => (await names()).join() === "Visit to anything,Visits", PATIENCE);
    await page.getByRole("link", { name: "Visits", exact: true }).click();
    await page.getByRole("button", { name: /^Visited, .*: 3$/ }).waitFor();

    // An insight that comes back is on the home, where it was.
    await page.getByRole("button", { name: "Visits", exact: true }).click();
    await page.getByRole("menuitem", { name: "Remove Visits" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await vi.waitUntil(async () => {
      const saved = await dashboard.api<{ name: string; home_place: number | null }[]>("GET", "/insights");
      return saved.find(({ name }) => name === "Visits")?.home_place === 1;
    }, PATIENCE);
  });
});
