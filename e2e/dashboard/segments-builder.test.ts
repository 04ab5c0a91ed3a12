// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { FAILED, failCalls } from "./kit/fail-calls.js";
import { addCondition, expectCount, field, SegmentPeople } from "./kit/segments.js";

describe.runIf(hasBrowser)("the builder of segments tells the truth", () => {
  let dashboard: Dashboard;
  let people: SegmentPeople;

  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Builder");
    people = await SegmentPeople.in(dashboard);
  });
  afterAll(() => dashboard.close());

  test("a saved segment has no unsaved changes, and neither has a filter that means the same", async () => {
    const { id } = await people.create("Kept", { query: { terms: { team: ["red", "blue"] } } });
    const page = await dashboard.open(`/segments/${id}`);
    const unsaved = page.getByText("Unsaved changes");
    await expectCount(page, "3");
    expect(await unsaved.count()).toBe(0);
    // Another value changes the filter, the first one again does not: the order of values has no meaning.
    const values = field(page, "Values of team");
    await values.press("Backspace");
    await unsaved.waitFor();
    await values.fill("blue");
    await values.press("Enter");
    await unsaved.waitFor({ state: "detached" });
    await values.press("Backspace");
    await page.getByRole("button", { name: "Save segment" }).click();
    await page.getByRole("button", { name: "Yes, save segment" }).click();
    await page.getByText(/^Segment saved\./).waitFor();
    await expectCount(page, "2");
    expect(await unsaved.count()).toBe(0);

    // Undo changes the screen and the server alike.
    await page.getByRole("button", { name: "Undo" }).click();
    await expectCount(page, "3");
    expect(await unsaved.count()).toBe(0);
    expect(await page.getByTestId("segment-sentence").textContent()).toBe("Users whose team is one of “red”, “blue”");
    expect((await people.find("Kept"))?.query).toEqual({ terms: { team: ["red", "blue"] } });
    await page.reload();
    await expectCount(page, "3");
    expect(await unsaved.count()).toBe(0);

    // The JSON of a query is another form of the same filter.
    await page.getByText("JSON", { exact: true }).click();
    let mayAnswer = () => {};
    const held = new Promise<void>((resolve) => {
      mayAnswer = resolve;
    });
    await page.route("**/api/v1/segments/convert", (route) => held.then(() => route.continue()));
    await page.getByRole("textbox", { name: "Query as JSON" }).fill('{"terms": {"team": ["blue", "red"]}}');
    await unsaved.waitFor();
    mayAnswer();
    await unsaved.waitFor({ state: "detached" });
  });

  test("what cannot be read is not said to be missing, and the rest can be chosen", async () => {
    const page = await dashboard.windowOfTest();
    const heal = await failCalls(page, "**/api/v1/search/events/bootstrap");
    await page.goto(dashboard.address("/segments/new"));
    await page.getByRole("alert").getByText(FAILED).waitFor();
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByRole("option", { name: /^team/ }).waitFor();
    const search = page.getByRole("textbox", { name: "Find an attribute, an event or a segment" });
    await search.fill("no such thing");
    const choices = page.getByRole("listbox", { name: "What the condition is about" });
    await choices.getByText("Not everything could be read.").waitFor();
    await page.keyboard.press("Escape");
    await heal();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add condition" }).click();
    await search.fill("no such thing");
    await choices.getByText("Nothing is called “no such thing”.").waitFor();
  });

  test("Enter takes the only suggestion, and a value that nobody has is marked", async () => {
    const page = await dashboard.open("/segments/new");
    await addCondition(page, "plan");
    const values = field(page, "Values of plan");
    await values.pressSequentially("fr");
    await page.getByRole("option", { name: "free" }).waitFor();
    await page.getByRole("option", { name: /^fr\s*nobody has this value$/ }).waitFor();
    await values.press("Enter");
    await expectCount(page, "1");
    expect(await page.getByTestId("segment-sentence").textContent()).toBe("Users whose plan is “free”");
    await values.press("Backspace");
    await values.fill("gold");
    await page.getByRole("option", { name: /^gold\s*nobody has this value$/ }).click();
    await expectCount(page, "0");
    await page.getByText("Nobody has this value", { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test("shows ranges as programs write them, and asks about the days to come", async () => {
    await people.send([{ email: "dan@example.com", traits: { renews_at: new Date(Date.now() + 2 * 86_400_000) } }]);
    const { id } = await people.create("Paying", {
      query: { bool: { filter: [{ range: { mrr: { gte: 10, lt: 100 } } }] } },
    });
    const page = await dashboard.open(`/segments/${id}`);
    await expectCount(page, "1");
    const sentence = page.getByTestId("segment-sentence");
    expect(await sentence.textContent()).toBe("Users whose mrr is at least 10 and whose mrr is less than 100");
    await field(page, "Value of mrr").first().fill("0");
    await expectCount(page, "2");

    const another = await dashboard.open("/segments/new");
    await addCondition(another, "renews_at");
    await another.getByRole("combobox", { name: "How renews_at is compared" }).click();
    await another.getByRole("option", { name: "is in the next", exact: true }).click();
    await field(another, "Time of renews_at: amount").fill("3");
    await expectCount(another, "1");
    expect(await another.getByTestId("segment-sentence").textContent()).toBe(
      "Users whose renews_at is in the next 3 days",
    );
    await field(another, "Time of renews_at: amount").fill("1");
    await expectCount(another, "0");
    await another.getByRole("combobox", { name: "How renews_at is compared" }).click();
    await another.getByRole("option", { name: "is after", exact: true }).click();
    await another.getByRole("combobox", { name: "How the date of renews_at is given" }).click();
    await another.getByRole("option", { name: "so long from now" }).click();
    await field(another, "Time after now of renews_at: amount").fill("1");
    await expectCount(another, "1");
    await expectAccessible(another);
  });

  test("choosing a property of an event clears the input and keeps the focus", async () => {
    const page = await dashboard.open("/segments/new");
    await addCondition(page, "Ordered");
    const property = field(page, "Add a condition on a property of Ordered");
    await property.fill("tot");
    await page.getByRole("option", { name: "total" }).click();
    await field(page, "How total is compared").waitFor();
    expect(await property.inputValue()).toBe("");
    expect(await page.locator("input:focus").getAttribute("aria-label")).toBe(
      "Add a condition on a property of Ordered",
    );
    // Enter takes the only property that has the text in its name.
    await property.fill("ota");
    await property.press("Enter");
    await expect.poll(() => field(page, "How total is compared").count(), PATIENCE).toBe(2);
    expect(await property.inputValue()).toBe("");
  });

  test("a duplicate does not replace a draft", async () => {
    const { id } = await people.create("Original", { query: { term: { plan: "pro" } } });
    const page = await dashboard.open("/segments/new");
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("My draft");
    const duplicate = async () => {
      await page.goto(dashboard.address(`/segments/${id}`));
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Duplicate" }).click();
      await expect.poll(() => name.inputValue(), PATIENCE).toBe("Original (copy)");
    };
    await duplicate();
    const first = page.url();
    await name.fill("First copy");
    await duplicate();
    await page.goto(first);
    await expect.poll(() => name.inputValue(), PATIENCE).toBe("First copy");
    await page.goto(dashboard.address("/segments/new"));
    await expect.poll(() => name.inputValue(), PATIENCE).toBe("My draft");
  });
});
