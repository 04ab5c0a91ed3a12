// @module-tag long
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { addCondition, expectCount, field, SegmentPeople } from "./kit/segments.js";

/** An input with a label beside it. Its list of choices has the same label. */
const labelled = (page: Page, label: string) => page.locator("input").and(page.getByLabel(label, { exact: true }));

describe.runIf(hasBrowser)("what can be asked about a segment", () => {
  let dashboard: Dashboard;
  let people: SegmentPeople;

  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Segment pages");
    people = await SegmentPeople.in(dashboard);
  });
  afterAll(() => dashboard.close());

  /** Creates a segment and waits for its members. */
  async function create(name: string, query: object): Promise<string> {
    const { id } = await people.create(name, { query });
    await expect
      .poll(async () => (await dashboard.api<{ evaluated: boolean }>("GET", `/${id}`)).evaluated, PATIENCE)
      .toBe(true);
    return id;
  }

  test("the builder says how many are left after each condition, and excludes the members of a segment", async () => {
    await create("Reds", { term: { team: "red" } });
    const page = await dashboard.open("/segments/new");
    await addCondition(page, "plan");
    await field(page, "Values of plan").fill("pro");
    await page.keyboard.press("Enter");
    await expectCount(page, "2");
    await page.getByRole("button", { name: "Exclude" }).click();
    await field(page, "Find an attribute, an event or a segment").fill("Reds");
    await page.getByRole("option", { name: "Reds" }).waitFor();
    await page.keyboard.press("Enter");
    await expectCount(page, "0");
    expect(await page.getByTestId("segment-sentence").textContent()).toBe(
      "Users whose plan is “pro” and who are not in the segment “Reds”",
    );
    const left = page.getByTestId("left-after");
    await expect.poll(() => left.allTextContents(), PATIENCE).toEqual(["2 left", "0 left"]);
    await expectAccessible(page);
  });

  test("the overlap of segments leads to the people of a region, and to a new segment of them", async () => {
    const pro = await create("Pros", { term: { plan: "pro" } });
    await create("Rich", { range: { mrr: { gt: 50 } } });
    const page = await dashboard.open(`/segments/${pro}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Compare with other segments" }).click();
    await page.getByText("Choose two or three segments").waitFor();
    await labelled(page, "Two or three segments").fill("Rich");
    await page.getByRole("option", { name: "Rich" }).click();
    await page.keyboard.press("Escape");
    const regions = page.getByTestId("overlap-region");
    await expect
      .poll(async () => (await regions.allInnerTexts()).map((text) => text.split(/\n+/).slice(0, 2)), PATIENCE)
      .toEqual([
        ["In Pros, not in Rich", "1 user"],
        ["In Rich, not in Pros", "0 users"],
        ["In Pros and Rich", "1 user"],
      ]);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Show 1 user: In Pros, not in Rich" }).click();
    await page.getByRole("table", { name: "Users" }).getByRole("link", { name: "Cat" }).waitFor();
    expect(await page.getByTestId("total").textContent()).toBe("1 user");
    await page.goBack();
    await page.getByRole("button", { name: "New segment: In Pros, not in Rich" }).click();
    await expectCount(page, "1");
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("In Pros, not in Rich");
  });

  test("the page says who entered and left, and which definitions there were, and restores one", async () => {
    const id = await create("Changing", { term: { team: "red" } });
    const page = await dashboard.open(`/segments/${id}?tab=history`);
    const moves = page.getByRole("region", { name: "Who entered and left" });
    await expect.poll(() => moves.getByRole("listitem").count(), PATIENCE).toBe(2);
    await people.send([{ email: "cat@example.com", traits: { team: "green" } }]);
    await moves.getByRole("listitem").filter({ hasText: "left Cat" }).waitFor();
    await moves.getByText("Entered", { exact: true }).click();
    await expect.poll(() => moves.getByRole("listitem").count(), PATIENCE).toBe(2);
    await expectAccessible(page);

    await dashboard.api("PUT", `/${id}`, { query: { term: { team: "blue" } } });
    await page.getByRole("tab", { name: "Versions" }).click();
    const versions = page.getByTestId("segment-version");
    await expect.poll(() => versions.count(), PATIENCE).toBe(2);
    await versions.first().getByText('+ team is "blue"').waitFor();
    await versions.first().getByText('− team is "red"').waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Restore version 1" }).click();
    const dialog = page.getByRole("dialog", { name: "Restore version 1?" });
    await dialog.getByText(/1 user enters and 1 leaves/).waitFor();
    await dialog.getByRole("button", { name: "Restore version 1" }).click();
    await expect.poll(() => versions.count(), PATIENCE).toBe(3);
    await versions
      .first()
      .getByText(/restored from version 1/)
      .waitFor();
    await page.getByRole("tab", { name: "Build" }).click();
    await expectCount(page, "1");
    expect(await page.getByText("Unsaved changes").count()).toBe(0);
  });

  test("the page says who was in the segment at a moment, and who differs now", async () => {
    await people.send([
      { email: "ann@example.com", traits: { tier: "gold" } },
      { email: "bob@example.com", traits: { tier: "gold" } },
    ]);
    const id = await create("Gold", { term: { tier: "gold" } });
    const size = async () => (await dashboard.api<{ stats: { users: number } }>("GET", `/${id}`)).stats.users;
    await expect.poll(size, PATIENCE).toBe(2);
    const then = new Date().toISOString();
    await people.send([{ email: "bob@example.com", traits: { tier: "silver" } }]);
    await expect.poll(size, PATIENCE).toBe(1);
    const page = await dashboard.open(`/segments/${id}?tab=history&at=${then}`);
    const past = page.getByRole("region", { name: "Who was in it" });
    await past
      .getByText("2 users then, by version 1 of the definition. 1 now: 0 are new, 1 are not in it any more.")
      .waitFor(PATIENCE);
    await past.getByText("Left since").click();
    await expect.poll(() => past.getByRole("listitem").allTextContents(), PATIENCE).toEqual(["Bob"]);
    await expectAccessible(page);
    await past.getByRole("link", { name: "Bob" }).click();
    await page.getByText("As it was on").waitFor(PATIENCE);
    await page.getByRole("button", { name: /^tier/ }).getByText("gold").waitFor(PATIENCE);
  });

  test("members are exported, and the description, tags and folder are kept and filtered by", async () => {
    const id = await create("Exported", { term: { plan: "pro" } });
    const page = await dashboard.open(`/segments/${id}`);
    const menu = async (item: string) => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await expectCount(page, "2");
    await menu("Export members…");
    await page.getByRole("button", { name: "Export 2 users" }).click();
    await page.getByRole("link", { name: "Download the file" }).waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).last().click();
    await menu("Send to a connector…");
    await page
      .getByRole("dialog", { name: "Send 2 users to a connector" })
      .getByText(/takes users in bulk/)
      .waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();

    await menu("Edit details…");
    const dialog = page.getByRole("dialog", { name: "Details of the segment" });
    await dialog.getByRole("textbox", { name: "Description" }).fill("For the sales team.");
    await labelled(page, "Tags").fill("sales");
    await page.keyboard.press("Enter");
    await labelled(page, "Folder").fill("Customers");
    await dialog.getByRole("button", { name: "Save details" }).click();
    await page.getByText("For the sales team.").waitFor();
    expect(await page.getByText("Unsaved changes").count()).toBe(0);
    await expectAccessible(page);

    await page.goto(dashboard.address("/segments"));
    const rows = page.getByRole("table", { name: "Segments" }).getByRole("link");
    await expect.poll(() => rows.count(), PATIENCE).toBeGreaterThan(1);
    // The segments of a folder are below its name, and closed with it. The address keeps that.
    const head = page.getByRole("button", { name: "Customers 1" });
    expect(await rows.allTextContents()).toContain("Exported");
    await head.click();
    await expect.poll(() => rows.allTextContents(), PATIENCE).not.toContain("Exported");
    await page.reload();
    expect(await head.getAttribute("aria-expanded")).toBe("false");
    expect(await rows.allTextContents()).not.toContain("Exported");
    await head.click();
    await expect.poll(() => rows.allTextContents(), PATIENCE).toContain("Exported");
    await labelled(page, "Folder").click();
    await page.getByRole("option", { name: "Customers" }).click();
    await expect.poll(() => rows.allTextContents(), PATIENCE).toEqual(["Exported"]);
    await expectAccessible(page);

    // A folder of segments of users is none of accounts. An address may name one that is empty.
    await dashboard.api("POST", "/accounts_segments", { name: "All accounts", query: {}, predicate: {} });
    await page.getByText("Accounts", { exact: true }).last().click();
    await expect.poll(() => rows.allTextContents(), PATIENCE).toEqual(["All accounts"]);
    await page.goto(dashboard.address("/segments?of=account&folder=Customers"));
    await page.getByText("No segment of accounts is in the folder Customers.").waitFor();
  });
});
