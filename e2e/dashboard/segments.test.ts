// @module-tag long
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { addCondition, expectCount, field, SegmentPeople } from "./kit/segments.js";

describe.runIf(hasBrowser)("segments", () => {
  let dashboard: Dashboard;
  let people: SegmentPeople;

  const find = (name: string) => people.find(name);
  const create = (name: string, definition: object) => people.create(name, definition);

  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Segments");
    people = await SegmentPeople.in(dashboard);
  });
  afterAll(() => dashboard.close());

  test("a segment is built with the mouse and the keyboard, and a live record enters it", async () => {
    const page = await dashboard.open("/segments");
    await page.getByText("No segments of users yet").waitFor();
    await page.getByRole("button", { name: "New segment" }).first().click();
    await page.getByRole("textbox", { name: "Name" }).fill("Pro customers");
    await expectCount(page, "3");

    await addCondition(page, "plan");
    await field(page, "Values of plan").fill("pro");
    await page.keyboard.press("Enter");
    await expectCount(page, "2");
    await addCondition(page, "mrr");
    await field(page, "How mrr is compared").click();
    await page.getByRole("option", { name: "is more than" }).click();
    await field(page, "Value of mrr").fill("50");
    await expectCount(page, "1");
    expect(await page.getByTestId("segment-sentence").textContent()).toBe(
      "Users whose plan is “pro” and whose mrr is more than 50",
    );
    await page.getByTestId("segment-sample").getByRole("link", { name: "Ann" }).waitFor();
    await expectAccessible(page);

    // One of three users is more than a tenth of all, so creating asks a second time.
    await page.getByRole("button", { name: "Create segment" }).click();
    const dialog = page.getByRole("dialog", { name: "Create this segment?" });
    await dialog.getByText("1 user enters (33.3% of all). No connector gets messages.").waitFor();
    await dialog.getByRole("button", { name: "Yes, create segment" }).click();
    await page.getByRole("heading", { level: 1, name: "Pro customers" }).waitFor();
    const saved = await find("Pro customers");
    expect(saved?.predicate).toMatchObject({
      type: "all",
      predicates: [{ operator: "equals" }, { operator: "greater_than" }],
    });

    await people.send([{ email: "dan@example.com", traits: { plan: "pro", mrr: 70, name: "Dan" } }]);
    await expectCount(page, "2");
    await page.getByTestId("segment-sample").getByRole("link", { name: "Dan" }).waitFor();
    await page.getByRole("tab", { name: "Members" }).click();
    await page.getByRole("table", { name: "Members of Pro customers" }).getByRole("link", { name: "Dan" }).waitFor();
    await expectAccessible(page);
  });

  test("events, groups and segments can be conditions", async () => {
    const other = await create("Everybody", { predicate: { type: "all", predicates: [] } });
    const page = await dashboard.open("/segments/new");
    await page.getByRole("textbox", { name: "Name" }).fill("Mixed");
    await addCondition(page, "Ordered");
    await expectCount(page, "1");
    await field(page, "Add a condition on a property of Ordered").fill("total");
    await page.getByRole("option", { name: "total" }).click();
    await field(page, "How total is compared").click();
    await page.getByRole("option", { name: "is more than" }).click();
    await field(page, "Value of total").fill("30");
    await expectCount(page, "0");
    await field(page, "Value of total").fill("15");
    await expectCount(page, "1");
    await addCondition(page, "Group of conditions");
    await page.getByRole("button", { name: "Add condition" }).first().click();
    await field(page, "Find an attribute, an event or a segment").fill("Everybody");
    await page.getByRole("option", { name: "Everybody" }).click();
    await expectCount(page, "1");
    expect(await page.getByTestId("segment-sentence").textContent()).toBe(
      "Users who did “Ordered” with total is more than 15 at least once in the last 30 days and who are in the segment “Everybody”",
    );
    await page.getByRole("button", { name: "Create segment" }).click();
    await page.getByRole("button", { name: "Yes, create segment" }).click();
    await page.getByRole("heading", { level: 1, name: "Mixed" }).waitFor();
    await expect
      .poll(async () => (await find("Mixed"))?.predicate)
      .toMatchObject({
        type: "all",
        predicates: [{ event: { name: "Ordered" } }, { type: "any", predicates: [{ options: { value: [other.id] } }] }],
      });
  });

  test("the JSON and the builder are kept in step, and an error is marked with the sentence of the API", async () => {
    const { id } = await create("As JSON", {
      predicate: {
        type: "all",
        predicates: [{ property: { key: "team" }, operator: "equals", options: { value: "red" } }],
      },
    });
    const page = await dashboard.open(`/segments/${id}?view=json`);
    const editor = page.getByRole("textbox", { name: "Predicate as JSON" });
    await editor.getByText('"team"').waitFor();
    await editor.fill(
      '{"type": "any", "predicates": [{"property": {"key": "team"}, "operator": "equals", "options": {"value": "blue"}}]}',
    );
    await expectCount(page, "1");
    await page.getByText("Builder", { exact: true }).click();
    await field(page, "Values of team").waitFor();
    expect(await page.getByTestId("segment-sentence").textContent()).toBe("Users whose team is “blue”");
    await page.getByText("Unsaved changes").waitFor();

    await page.getByText("JSON", { exact: true }).click();
    await editor.fill('{"type": "all", "predicates": [\n{"property": {"key": "team"}, "operator": "sounds_like"}]}');
    await page.getByText(/Line 2: .*predicates\.0\.operator/).waitFor();
    await page.getByText("Builder", { exact: true }).click();
    await page.getByText(/cannot be shown in the builder/).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Discard" }).click();
    await expectCount(page, "2");
  });

  test("what somebody types as JSON stays, also when it is no filter yet", async () => {
    const { id } = await create("Typed", { predicate: { type: "all", predicates: [] } });
    const page = await dashboard.open(`/segments/${id}?view=json`);
    const editor = page.getByRole("textbox", { name: "Predicate as JSON" });
    const typed = () =>
      editor.evaluate((element) => (element as unknown as { value?: string }).value ?? element.textContent);
    await expect.poll(typed, PATIENCE).toMatch(/"predicates": \[\]/);
    await editor.fill('["a list"]');
    await page.getByText("A filter is an object: { … }.").waitFor();
    expect(await typed()).toBe('["a list"]');
    // It is not saved as something else: the filter is still the one before.
    const save = page.getByRole("button", { name: "Save segment" });
    await page.getByTitle("Correct the JSON first.").waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByText("Builder", { exact: true }).click();
    await page.getByText(/^What was typed as JSON cannot be read\./).waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByText("JSON", { exact: true }).click();
    await expect.poll(typed, PATIENCE).toBe('["a list"]');
    // The first condition says enough, the second has no value yet.
    const team = '{"property": {"key": "team"}, "operator": "equals"';
    const unfinished = `{"type": "all", "predicates": [${team}, "options": {"value": "blue"}}, ${team}}]}`;
    await editor.fill(unfinished);
    await page.getByText("One condition has no value yet and is not counted.").waitFor();
    await expectCount(page, "1");
    expect(await typed()).toBe(unfinished);
    await page.getByText("Builder", { exact: true }).click();
    await page.getByTestId("segment-sentence").getByText("Users whose team is “blue”").waitFor();
    await page.getByText("JSON", { exact: true }).click();
    await expect.poll(async () => (await typed())?.match(/"operator"/g)?.length, PATIENCE).toBe(2);
  });

  test("a query that has no form as a predicate is shown as JSON, with the reason", async () => {
    const { id } = await create("Raw", { query: { regexp: { plan: "p.*" } } });
    const page = await dashboard.open(`/segments/${id}`);
    await page.getByText(/cannot be shown in the builder: the query has parts that only JSON can say/).waitFor();
    expect(await page.getByTestId("segment-sentence").textContent()).toBe("Plan fits /p.*/");
    await page.getByText("JSON", { exact: true }).click();
    await page.getByRole("textbox", { name: "Query as JSON" }).getByText('"regexp"').waitFor();
  });

  test("a filter about an attribute that nobody has is warned of, and a name that is taken is refused", async () => {
    const { id } = await create("Misspelt", { query: { term: { tean: "red" } } });
    const page = await dashboard.open(`/segments/${id}`);
    await page.getByText('No user has an attribute "tean" so far. Did you mean team?').waitFor();
    // The segment was compared with everybody, which the page says beside its name.
    await page.getByText("works", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Members" }).click();
    await page.getByText("Nobody is in this segment").waitFor();
    await page.getByRole("tab", { name: "Build" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("raw");
    await page.getByRole("button", { name: "Save segment" }).click();
    await page.getByText(/There is already a segment "Raw"/).waitFor();
    await expectAccessible(page);
  });

  test("saving says who enters and leaves, and changes are kept until then", async () => {
    const { id } = await create("Edited", { query: { term: { team: "red" } } });
    const page = await dashboard.open(`/segments/${id}`);
    await expectCount(page, "2");
    await field(page, "Values of team").fill("blue");
    await page.keyboard.press("Enter");
    await expectCount(page, "3");
    await page.getByText("+1 entering").waitFor();
    await page.reload();
    await page.getByText("Unsaved changes").waitFor();
    await expectCount(page, "3");
    await page
      .getByTestId("segment-impact")
      .getByText(/^If you save: 1 user enters/)
      .waitFor();
    await page.getByText("+1 entering").click();
    const link = page.getByTestId("segment-sample").getByRole("link", { name: "Bob" });
    // The page of the person says why it is in the segment or not.
    expect(await link.getAttribute("href")).toMatch(new RegExp(`/users/[0-9a-f]{24}\\?panel=why%3A${id}$`));
    await page.getByRole("button", { name: "Save segment" }).click();
    await page.getByRole("button", { name: "Yes, save segment" }).click();
    await page.getByText(/^Segment saved. 1 user enters/).waitFor();
    expect((await find("Edited"))?.query).toEqual({ bool: { must: [{ terms: { team: ["red", "blue"] } }] } });
    await page.getByRole("button", { name: "Undo" }).click();
    await expectCount(page, "2");
  });

  test("the list shows sizes and uses, and deleting says what happens", async () => {
    const used = await create("Used", { query: { term: { team: "red" } } });
    await create("Asking", { query: { terms: { segment_ids: [used.id] } } });
    const page = await dashboard.open("/segments");
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "Used", exact: true }) });
    await row.getByText("1 segment").waitFor();
    await row.getByText("2", { exact: true }).waitFor();
    await expectAccessible(page);
    // Moves that cannot be read are not "no moves".
    const isCharts = (address: URL) => address.pathname === "/api/v1/charts/segments";
    await page.route(isCharts, (route) => route.fulfill({ status: 403, json: { error: { message: "Not now." } } }));
    await page.reload();
    await page.getByRole("alert").getByText("Not now.").waitFor();
    expect(await row.getByText("no moves").count()).toBe(0);
    await page.unroute(isCharts);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Used", exact: true }).click();
    await page.getByRole("tab", { name: "Used by" }).click();
    await page.getByRole("link", { name: "Asking" }).waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText("0 users entered and 0 left.").waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByRole("heading", { level: 1, name: "New segment of users" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Used (copy)");
    await page.goBack();
    // Nobody deletes it before it is known who uses it.
    const isUses = (address: URL) => address.pathname.endsWith(`/${used.id}/uses`);
    await page.route(isUses, () => undefined);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the segment “Used”?" });
    await dialog.getByText(/2 users leave it\..*No connector gets messages\./).waitFor();
    expect(await dialog.getByRole("button", { name: "Delete segment" }).isDisabled()).toBe(true);
    await page.unroute(isUses);
    await page.reload();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await dialog.getByText(/2 users leave it\./).waitFor();
    await dialog.getByText(/1 segment asks about it: Asking\./).waitFor();
    await dialog.getByRole("button", { name: "Delete segment" }).click();
    await page.getByRole("heading", { level: 1, name: "Segments" }).waitFor();
    await expect.poll(() => find("Used")).toBeUndefined();
  });

  test("a count of many users follows the keys, and the page fits a phone", async () => {
    const demo = await Dashboard.onDemo();
    try {
      const context = await demo.signIn({ viewport: { width: 390, height: 844 } });
      const page = await demo.open("/segments/new", context);
      const { users } = inject("sharedServer");
      await expectCount(page, users.toLocaleString("en-US"));
      await addCondition(page, "plan");
      await field(page, "How plan is compared").click();
      await page.getByRole("option", { name: "begins with" }).click();
      await field(page, "Value of plan").pressSequentially("pr");
      await expectCount(page, Math.floor(users / 4).toLocaleString("en-US"));
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width).toBe(390);
      await expectAccessible(page);
    } finally {
      await demo.close();
    }
  });
});
