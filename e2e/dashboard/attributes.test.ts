// @module-tag long
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { Sender } from "./kit/sender.js";

describe.runIf(hasBrowser)("the attributes of an organization", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew();
    const sender = await Sender.connect(dashboard);
    await sender.send(
      ...["pro", "pro", "free", undefined].map((plan, index) =>
        sender.entry("traits", `user-${index}`, { age: 30 + index, "crm/stage": "lead", ...(plan ? { plan } : {}) }),
      ),
    );
  });
  afterAll(() => dashboard.close());

  const rowOf = (page: Page, name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("cell", { name, exact: true }) });

  test("are listed with the share of users who have them, as exact numbers", async () => {
    const page = await dashboard.open("/attributes");
    await rowOf(page, "plan").getByText("75%").waitFor();
    await rowOf(page, "age").getByText("100%").waitFor();
    await rowOf(page, "age").getByText("Shop").waitFor();
    await page.getByText("fresh", { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test("are found as somebody types, and the text is in the address", async () => {
    const page = await dashboard.open("/attributes");
    await page.getByLabel("Find an attribute").fill("stage");
    await page.getByText("1 attribute of 4 users").waitFor();
    await page.waitForURL(/q=stage/);
    await page.getByRole("table").getByText("crm/stage").waitFor();
  });

  test("show their most frequent values in a card beside the pointer, and ask for them only then", async () => {
    const page = await dashboard.open("/attributes");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const share = rowOf(page, "plan").getByText("75%");
    await share.waitFor();
    expect(asked.filter((path) => path.startsWith("/api/v1/charts"))).toEqual([]);
    await share.hover();
    const card = page.getByRole("tooltip");
    await card.getByText("plan: 3 users").waitFor();
    await card.getByText("pro", { exact: true }).waitFor();
    await page.getByLabel("Find an attribute").hover();
    await card.waitFor({ state: "hidden" });
  });

  test("show their values in a panel, which leads to the users with one of them", async () => {
    const page = await dashboard.open("/attributes");
    await page.getByRole("table").getByText("plan", { exact: true }).click();
    const panel = page.getByRole("dialog");
    await panel.getByText("3 of 4 users").waitFor();
    await panel.getByText("2 distinct values of 3").waitFor();
    await page.waitForURL(/attribute=traits_plan/);
    await expectAccessible(page);
    await panel.getByRole("link", { name: "pro" }).click();
    await page.waitForURL(/\/users\?filter=/);
    const filter = new URL(page.url()).searchParams.get("filter") ?? "";
    expect(JSON.parse(filter)).toEqual({
      type: "all",
      predicates: [
        {
          property: { key: "traits_plan", type: "string", entity: "user" },
          operator: "equals",
          options: { value: "pro" },
        },
      ],
    });
  });

  test("of numbers have a histogram", async () => {
    const page = await dashboard.open("/attributes?attribute=traits_age");
    await page.getByRole("dialog").getByRole("img", { name: "Values of age" }).waitFor();
  });

  test("are hidden at once, and the change can be undone", async () => {
    const page = await dashboard.open("/attributes?q=stage");
    const isShown = async () =>
      (await dashboard.api<{ visible: boolean }>("GET", "/settings/user_traits/crm%2Fstage")).visible;
    const toggle = page.getByRole("switch", { name: "Show crm/stage" });
    await toggle.click({ force: true });
    await page.getByText("crm/stage is hidden").waitFor();
    expect(await isShown()).toBe(false);
    expect(await toggle.isChecked()).toBe(false);
    await page.getByRole("button", { name: "Undo" }).click();
    await vi.waitUntil(isShown, PATIENCE);
    await vi.waitUntil(() => toggle.isChecked(), PATIENCE);
  });

  test("are described, get another type after a preview, and are deleted everywhere after a question", async () => {
    const sender = await Sender.connect(dashboard);
    const texts = ["12", "7.5", "many"];
    await sender.send(...texts.map((seats, index) => sender.entry("traits", `seated-${index}`, { seats })));
    const page = await dashboard.open("/attributes?attribute=traits_seats");
    const panel = page.getByRole("dialog").first();
    await panel.getByLabel("Called").fill("Seats at the table");
    await panel.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("table").getByText("Seats at the table (seats)").waitFor();
    // Marketers meet the label wherever they meet the attribute, and find it by either name.
    const list = await dashboard.open("/users?columns=email,traits_seats");
    await list.getByRole("columnheader", { name: "Seats at the table" }).waitFor();
    expect(await list.getByRole("columnheader", { name: "Seats at the table" }).getAttribute("title")).toBe("seats");
    await list.goto(dashboard.address("/segments/new"));
    await list.getByRole("button", { name: "Add condition" }).click();
    await list.getByRole("textbox", { name: "Find an attribute, an event or a segment" }).fill("seats");
    await list
      .getByRole("option", { name: /Seats at the table/ })
      .getByText("seats, text")
      .waitFor();
    const { data } = await dashboard.api<{ data: { id: string }[] }>("POST", "/search/user_reports", {
      query: { term: { external_id: "seated-0" } },
    });
    await list.goto(dashboard.address(`/users/${data[0]?.id}`));
    const own = list.getByRole("region", { name: "Attributes" }).getByText("Seats at the table");
    await own.click();
    await list.getByRole("dialog", { name: "Seats at the table" }).waitFor();
    await list.close();
    await page.getByLabel("Find an attribute").fill("at the table");
    await page.getByRole("table").getByText("Seats at the table (seats)").waitFor();
    await page.getByText("1 attribute of").waitFor();
    await page.getByLabel("Find an attribute").fill("");

    await panel.getByLabel("Change the type").first().click();
    await page.getByRole("option", { name: "Number" }).click();
    await panel.getByText("2 values can be converted, 1 cannot and would be lost.").waitFor();
    await panel.getByText("many: the attribute's type is numeric").waitFor();
    await expectAccessible(page);
    await panel.getByRole("button", { name: "Change the type" }).click();
    const asked = page.getByRole("dialog", { name: "Change the type of seats" });
    await asked.getByRole("button", { name: "Change the type" }).click();
    await panel.getByText("seats: 2 values of users converted, 1 value could not be and is gone.").waitFor(PATIENCE);
    await panel.getByText("Number", { exact: true }).waitFor();

    await panel.getByRole("button", { name: "Delete everywhere" }).click();
    const deletion = page.getByRole("dialog", { name: "Delete seats everywhere" });
    await deletion.getByLabel("Type seats to confirm").fill("seats");
    await deletion.getByRole("button", { name: "Delete everywhere" }).click();
    const isGone = async () => {
      const { attributes } = await dashboard.api<{ attributes: { name: string }[] }>("GET", "/users/attributes");
      return attributes.every(({ name }) => name !== "seats");
    };
    await vi.waitUntil(isGone, PATIENCE);
  });

  test("of accounts have their own tab", async () => {
    const page = await dashboard.open("/attributes");
    await page.getByText("Accounts", { exact: true }).last().click();
    await page.waitForURL(/tab=accounts/);
    await page.getByRole("table", { name: "Attributes of accounts" }).getByText("domain").waitFor();
  });

  test("can be defined before the first record, with the type that their values must have", async () => {
    const page = await dashboard.open("/attributes");
    await page.getByRole("button", { name: "Define attribute" }).click();
    const dialog = page.getByRole("dialog", { name: "Define an attribute of users" });
    await dialog.getByLabel("Name").fill("plan");
    await dialog.getByText("plan is defined already, as text.").waitFor();
    await dialog.getByLabel("Name").fill("crm/score");
    await dialog.getByRole("combobox", { name: "Type" }).click();
    await page.getByRole("option", { name: "Number" }).click();
    await dialog.getByRole("switch", { name: /^Server-only/ }).click({ force: true });
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Define attribute" }).click();
    await page.getByText("crm/score is defined", { exact: true }).waitFor();
    await rowOf(page, "crm/score").waitFor();
    expect(await dashboard.api("GET", "/settings/user_traits/crm%2Fscore")).toMatchObject({
      type: "numeric",
      server_only: true,
      count: 0,
    });
  });

  test("that pages could not define any more are shown, and a member defines them and gets their values", async () => {
    const { id } = await dashboard.api<{ id: string }>("POST", "/platforms", { name: "Shop", domains: [] });
    const body = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`form_${index}`, "yes"]));
    const now = new Date().toISOString();
    const batch = [{ id: "1", type: "traits", timestamp: now, body }];
    const visitor = { bid: "browser-1", sid: "visit-1", sentAt: now };
    const told = await dashboard.api<{ refused_attributes: { name: string }[] }>("POST", `/${id}/records`, {
      ...visitor,
      batch,
    });
    expect(told.refused_attributes.map(({ name }) => name)).toEqual(["form_100"]);

    const page = await dashboard.open("/");
    await page.getByText("Pages send 1 new attribute that is refused").waitFor();
    await page.getByRole("link", { name: "Look at attributes" }).click();
    await page.getByRole("region", { name: "Attributes that wait" }).getByText("form_100").waitFor();
    await page.getByText(/^Text, .*last /).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Define form_100" }).click();
    await page.getByText("form_100 is defined. 1 record tried again").waitFor();
    await rowOf(page, "form_100").waitFor();
    await page.getByRole("region", { name: "Attributes that wait" }).waitFor({ state: "hidden" });
  });
});
