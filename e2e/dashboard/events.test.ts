// @module-tag long
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { Sender } from "./kit/sender.js";

let dashboard: Dashboard;
let sender: Sender;

describe.runIf(hasBrowser)("the events of an organization", () => {
  beforeAll(async () => {
    dashboard = await Dashboard.onNew();
    sender = await Sender.connect(dashboard);
    await sender.send(sender.entry("traits", "ann", { age: 30 }));
  });
  afterAll(() => dashboard.close());

  /** Opens the live list, and waits until the server keeps entries for it. */
  async function watch(path = "/events"): Promise<Page> {
    const page = await dashboard.windowOfTest();
    const begun = page.waitForResponse((answer) => answer.url().includes("/ingestion/recent") && answer.ok());
    await page.goto(dashboard.address(path));
    await begun;
    return page;
  }

  const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

  test("show as they arrive, refused ones with their verdict", async () => {
    const page = await watch();
    await page.getByText("Watching").waitFor();
    await sender.send(
      sender.entry("track", "ann", { event: "Ordered", properties: { total: 20 } }),
      { type: "track", headers: {}, body: { event: "Stolen" } } as never,
      sender.entry("traits", "ann", { age: "thirty" }),
    );
    await rowOf(page, "Ordered").getByText("Accepted").waitFor();
    const refused = rowOf(page, "Stolen");
    await refused.getByText("Refused").waitFor();
    await refused.getByText("The entry has no").waitFor();
    await rowOf(page, 'The attribute "age" was refused').getByText("Rejected").waitFor();
    await expectAccessible(page);
    await rowOf(page, "Ordered").click();
    const panel = page.getByRole("dialog");
    await panel.getByText('"total"').waitFor();
    await panel.getByText("external id ann").waitFor();
    await expectAccessible(page);
  });

  test("are filtered by what is in the address, and stand still when paused", async () => {
    const page = await watch("/events?event=Wanted");
    await sender.send(
      sender.entry("track", "ann", { event: "Other" }),
      sender.entry("track", "ann", { event: "Wanted", properties: { round: 1 } }),
    );
    await rowOf(page, "Wanted").waitFor();
    expect(await rowOf(page, "Other").count()).toBe(0);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused").waitFor();
    await page.getByLabel("Event name").fill("Other");
    await rowOf(page, "Other").waitFor();
    expect(await rowOf(page, "Wanted").count()).toBe(0);
    await page.getByLabel("Event name").fill("Wanted");
    // It was in two lists, that of the filter and that of everything, and is one row.
    await rowOf(page, "Wanted").waitFor();
    expect(await rowOf(page, "Wanted").count()).toBe(1);
    await page.getByRole("button", { name: "Go on" }).click();
    await sender.send(sender.entry("track", "ann", { event: "Wanted", properties: { round: 2 } }));
    await vi.waitUntil(async () => (await rowOf(page, "Wanted").count()) === 2, PATIENCE);
  });

  test("have a history that begins with the last ones, and is filtered by name, property and person", async () => {
    const page = await dashboard.windowOfTest();
    await sender.send(
      sender.entry("traits", "eve", { name: "Eve Explorer" }),
      sender.entry("track", "eve", { event: "Explored", properties: { depth: 12 } }),
      sender.entry("track", "ann", { event: "Explored", properties: { depth: 99 } }),
    );
    await page.goto(dashboard.address("/events?tab=history"));
    const ofEve = rowOf(page, "Eve Explorer");
    await ofEve.getByText("depth: 12").waitFor();
    await rowOf(page, "depth: 99").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Property").fill("depth");
    await page.getByLabel("Its value").fill("12");
    await page.getByText("1 event", { exact: true }).waitFor();
    expect(await rowOf(page, "depth: 99").count()).toBe(0);
    await page.goto(dashboard.address("/events?tab=history&event=Explored&user=ann&since=now-1h"));
    await rowOf(page, "depth: 99").click();
    const panel = page.getByRole("dialog");
    await panel.getByText('"depth"').waitFor();
    await panel.getByRole("link").first().waitFor();
    await expectAccessible(page);
  });

  test("tell in their history which attributes changed, by their labels, and from what to what", async () => {
    await sender.send(sender.entry("traits", "ivy", { seats: 1 }));
    // Somebody who labels an attribute before a record carries it defines it as text, which refuses a number.
    const isDefined = async () => {
      const { attributes } = await dashboard.api<{ attributes: { name: string }[] }>("GET", "/users/attributes");
      return attributes.some(({ name }) => name === "seats");
    };
    await vi.waitUntil(isDefined, PATIENCE);
    await dashboard.api("PUT", "/settings/user_traits/seats", { label: "Seats paid" });
    await sender.send(sender.entry("traits", "ivy", { seats: 2 }));
    const page = await dashboard.open("/events?tab=history&event=attributes_changed&user=ivy");
    await rowOf(page, "Seats paid: 1 → 2").click();
    const panel = page.getByRole("dialog", { name: "attributes_changed" });
    await panel.getByText("1 → 2", { exact: true }).waitFor();
    expect(await panel.getByRole("textbox", { name: "Properties" }).count()).toBe(0);
    await expectAccessible(page);
  });

  test("follow a plan that somebody writes, and what does not is counted and then refused", async () => {
    await sender.send(sender.entry("track", "ann", { event: "Booked", properties: { seats: 2 } }));
    const page = await dashboard.open("/events?tab=names&name=Booked");
    const panel = page.getByRole("dialog");
    await panel.getByLabel("Description").fill("A table was booked.");
    await panel.getByText("seats", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Plan its properties" }).click();
    await panel.getByRole("textbox", { name: "Name of property 1" }).waitFor();
    await panel.getByRole("button", { name: "Save the plan" }).click();
    await page.getByText("The plan is saved").waitFor();
    await sender.send(sender.entry("track", "ann", { event: "Booked", properties: { seats: "two" } }));
    await page.reload();
    await panel.getByRole("row", { name: /seats is text instead 1/ }).waitFor();
    await rowOf(page, "A table was booked.").getByText("1 problem").waitFor();
    await expectAccessible(page);
    await panel.getByRole("switch", { name: "Refuse events that do not follow the plan" }).click();
    await panel.getByRole("button", { name: "Save the plan" }).click();
    await page.getByText("The plan is saved").waitFor();
    await sender.send(sender.entry("track", "ann", { event: "Booked", properties: { seats: "three" } }));
    const refused = await dashboard.open("/events?tab=refused");
    await rowOf(refused, 'The tracking plan of the event "Booked" refuses it').waitFor();
  });

  test("are merged under one name, which old questions follow, and the merge is undone", async () => {
    await sender.send(
      sender.entry("track", "ann", { event: "Checked out" }),
      sender.entry("track", "bob", { event: "Purchase" }),
    );
    const page = await dashboard.open("/events?tab=names&name=Checked out");
    const panel = page.getByRole("dialog", { name: "Checked out" });
    await panel.getByLabel("Merge into another name").fill("Purchase");
    await panel.getByRole("button", { name: "Merge", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Merge Checked out into Purchase" });
    await question.getByText("The merge can be undone").waitFor();
    await question.getByRole("button", { name: "Merge the names" }).click();
    const found = (event: string) =>
      dashboard
        .api<{ data: { event: string }[] }>("POST", "/search/events", { query: { term: { event } } })
        .then(({ data }) => data.map((one) => one.event));
    await expect.poll(() => found("Checked out"), PATIENCE).toEqual(["Purchase", "Purchase"]);
    // The merge has its outcome also when the name is known to be part of another one.
    await panel.getByText("These events are part of Purchase now.").waitFor(PATIENCE);
    await panel.getByText("Checked out into Purchase: 1 event renamed.").waitFor(PATIENCE);

    const asked = { trend: { series: [{ event: "Checked out", measure: "count" }] } };
    await page.goto(dashboard.address(`/insights?q=${encodeURIComponent(JSON.stringify(asked))}`));
    await page.getByText("now part of Purchase").waitFor();

    await page.goto(dashboard.address("/events?tab=names&name=Purchase"));
    await page.getByRole("button", { name: "Undo the merge of Checked out" }).click();
    await expect.poll(() => found("Checked out"), PATIENCE).toEqual(["Checked out"]);
    await page.getByText("Checked out out of Purchase: 1 event renamed.").waitFor(PATIENCE);
    expect(await found("Purchase")).toEqual(["Purchase"]);
    await expectAccessible(page);
  });

  test("are listed by name with their volume and their properties", async () => {
    await sender.send(
      sender.entry("track", "ann", { event: "Searched", properties: { words: "blue shoes", hits: 3 } }),
      sender.entry("track", "ann", { event: "Searched", properties: { words: "red shoes" } }),
    );
    const page = await dashboard.open("/events?tab=names");
    const row = rowOf(page, "Searched");
    await vi.waitUntil(
      async () => {
        if ((await row.count()) === 0) await page.reload();
        return (await row.count()) === 1;
      },
      { ...PATIENCE, interval: 500 },
    );
    await expectAccessible(page);
    await row.click();
    const panel = page.getByRole("dialog");
    await panel.getByText("words", { exact: true }).waitFor();
    await panel.getByText("50%").waitFor();
    await panel.getByText("blue shoes").waitFor();
    await expectAccessible(page);
    await panel.getByRole("link", { name: "Show users who did this" }).click();
    await page.waitForURL(/\/users\?filter=/);
  });

  test("that could not be applied are grouped by reason, and are retried together", async () => {
    await sender.send(
      ...["lea", "max"].map((id) => sender.entry("track", id, { event: "Came back" }, { create: false })),
    );
    const page = await dashboard.open("/events?tab=refused");
    const reason = rowOf(page, "Nobody is known by external_id");
    await reason.waitFor();
    await expectAccessible(page);
    await sender.send(sender.entry("traits", "lea", {}), sender.entry("traits", "max", {}));
    await reason.click();
    await rowOf(page, 'external_id "lea"').waitFor();
    await page.getByRole("button", { name: "Retry 2 entries" }).click();
    await page.getByText("2 entries retried").waitFor();
    await page.getByText("No entry is left").waitFor();
    const count = async () => (await dashboard.api<unknown[]>("GET", "/events/names?text=came")).length;
    await vi.waitUntil(async () => (await count()) === 1, PATIENCE);
  });

  test("that could not be applied can be changed and retried", async () => {
    await sender.send(sender.entry("traits", "zoe", { age: "forty" }));
    const page = await dashboard.open("/events?tab=refused&q=forty");
    await rowOf(page, 'The attribute "age"').click();
    await rowOf(page, "zoe").click();
    const panel = page.getByRole("dialog");
    const editor = panel.getByRole("textbox", { name: "Payload" });
    await editor.fill('{ "age": ');
    await panel.getByText("This is not JSON").waitFor();
    expect(await panel.getByRole("button", { name: "Retry with this payload" }).isDisabled()).toBe(true);
    await editor.fill('{ "age": 40 }');
    await panel.getByRole("button", { name: "Retry with this payload" }).click();
    await page.getByText("The entry was retried").waitFor();
    await panel.waitFor({ state: "detached" });
    const zoe = async () => {
      const body = { query: { term: { external_id: "zoe" } } };
      const { data } = await dashboard.api<{ data: Record<string, unknown>[] }>("POST", "/search/user_reports", body);
      return data[0]?.traits_age;
    };
    await vi.waitUntil(async () => (await zoe()) === 40, PATIENCE);
  });

  test("that could not be applied are discarded after a question", async () => {
    await sender.send(sender.entry("track", "nobody", { event: "Lost" }, { create: false }));
    const page = await dashboard.open("/events?tab=refused&q=Lost");
    // A list that is cut says so. Here one reason is as many as are shown.
    await sender.send(sender.entry("traits", "yan", { age: "old" }));
    const other = await dashboard.open("/events?tab=refused");
    await rowOf(other, "Nobody is known by").waitFor();
    await rowOf(other, 'The attribute "age"').waitFor();
    await other.route(/rejected\/reasons/, (route, request) =>
      route.continue({ url: request.url().replace("per_page=200", "per_page=1") }),
    );
    await other.reload();
    await other.getByText("1 entry for 1 of 2 reasons: no others are shown").waitFor();
    await rowOf(page, "Nobody is known by").click();
    // A text that nothing has does not mean that all were retried.
    await page.getByLabel("Text within the entry").fill("Nowhere");
    await page.getByText("No entry of this reason fits the choices above.").waitFor();
    await page.getByLabel("Text within the entry").fill("Lost");
    await page.getByRole("button", { name: "Discard 1 entry" }).click();
    const question = page.getByRole("dialog", { name: "Discard 1 entry" });
    await question.getByText("can never be retried").waitFor();
    await question.getByRole("button", { name: "Discard 1 entry" }).click();
    await page.getByText("No entry is left").waitFor();
    expect(await dashboard.api("GET", "/ingestion/rejected?text=Lost")).toEqual([]);
  });

  test("act on entities, which are found and tell what was done with them and by whom", async () => {
    const page = await dashboard.open("/entities");
    await page.getByText("No entities yet").waitFor();
    await expectAccessible(page);
    await sender.send(
      sender.entry("traits", "ann", { name: "Ann" }),
      sender.entry("traits", "bob", { first_name: "Bob", last_name: "Stone" }),
      sender.entry("track", "ann", { event: "Read", entity_id: "article-1" }),
      sender.entry("track", "ann", { event: "Read", entity_id: "article-1" }),
      sender.entry("track", "bob", { event: "like", entity_id: "article-1" }),
      sender.entry("track", "bob", { event: "Read", entity_id: "article-2" }),
    );
    const entities = () => dashboard.api<{ id: string; uid: string }[]>("GET", "/entities");
    await expect.poll(async () => (await entities()).length, PATIENCE).toBe(2);
    const article = (await entities()).find(({ uid }) => uid === "article-1");
    await dashboard.api("PUT", `/${article?.id}`, { name: "How it began", tags: ["history"], extra: { words: 900 } });
    await page.reload();
    await page.getByText("2 entities").waitFor();
    await page.getByLabel("Name, uid, address, type or tag").fill("history");
    await page.getByText("1 entity", { exact: true }).waitFor();
    await page.getByRole("table", { name: "Entities" }).getByText("How it began").click();
    const panel = page.getByRole("dialog", { name: "How it began" });
    await panel.getByRole("region", { name: "Data of your own" }).getByText('"words": 900').waitFor();
    const done = panel.getByRole("region", { name: "What was done with it" });
    await done.getByRole("listitem").filter({ hasText: "Read" }).getByText("2", { exact: true }).waitFor();
    await done.getByText("1 user likes it at present.").waitFor();
    const users = panel.getByRole("region", { name: "Who acted on it" });
    await users.getByText("2 users").waitFor();
    await users.getByRole("link", { name: "Bob Stone" }).waitFor();
    const events = panel.getByRole("region", { name: "Last events" });
    await events.getByRole("link", { name: "Bob Stone" }).waitFor();
    expect(await events.getByRole("listitem").count()).toBe(3);
    await expectAccessible(page);
    await users.getByRole("link", { name: "Ann" }).click();
    await page.getByRole("heading", { level: 1, name: "Ann" }).waitFor();
  });
});
