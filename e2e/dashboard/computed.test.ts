// @module-tag long
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { Sender } from "./kit/sender.js";

const DAY_MS = 86_400_000;

describe.runIf(hasBrowser)("computed attributes", () => {
  let dashboard: Dashboard;
  let sender: Sender;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew();
    sender = await Sender.connect(dashboard);
    const order = (user: string, amount: number, currency: string, daysAgo: number) =>
      sender.entry("track", user, {
        event: "Order completed",
        created_at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
        properties: { amount, currency },
      });
    await sender.send(
      sender.entry("traits", "ada", { name: "Ada", plan: "pro", seats: 12, "crm/stage": "lead" }),
      sender.entry("traits", "bob", { name: "Bob", plan: "free" }),
      order("ada", 40, "EUR", 90),
      order("ada", 25, "EUR", 2),
      order("ada", 90, "USD", 1),
      order("bob", 10, "EUR", 1),
    );
  });
  afterAll(() => dashboard.close());

  const all = () => dashboard.api<ComputedAttribute[]>("GET", "/computed_attributes");
  const named = async (name: string) => (await all()).find((one) => one.name === name);
  const isOk = async (name: string) => (await named(name))?.status === "ok";
  const formOf = (page: Page) => page.getByRole("dialog", { name: "Add a computed attribute" });
  const idOf = async (name: string) => {
    const found = await dashboard.api<{ data: { id: string }[] }>("POST", "/search/user_reports", {
      query: { term: { external_id: name } },
    });
    return found.data[0]?.id ?? "";
  };
  const create = async (body: Pick<ComputedAttribute, "name" | "compute">) => {
    await dashboard.api("POST", "/computed_attributes", { target: "user", ...body });
    await vi.waitUntil(() => isOk(body.name), PATIENCE);
  };

  test("are added with a filter and a window, and shown on real people before they are saved", async () => {
    const page = await dashboard.open("/attributes");
    await page.getByRole("button", { name: "Add a computed attribute" }).click();
    const form = formOf(page);
    await form.getByLabel("Name", { exact: true }).fill("spent");
    await form.getByLabel("Name of the events").fill("Order completed");
    await form.getByLabel("What is computed").click();
    await page.getByRole("option", { name: "Sum of", exact: true }).click();
    await form.getByLabel("Property of the events").fill("amount");
    const rowOf = (name: string) => form.getByRole("listitem").filter({ hasText: name });
    await rowOf("Ada").getByText("155", { exact: true }).waitFor();
    await form.getByLabel("Of which time").click();
    await page.getByRole("option", { name: "in the last" }).click();
    await rowOf("Ada").getByText("115", { exact: true }).waitFor();
    await form.getByLabel("Add a condition on a property of Order completed").fill("currency");
    await page.keyboard.press("Enter");
    await form
      .getByLabel(/^Values? of currency$/)
      .first()
      .fill("EUR");
    await page.keyboard.press("Enter");
    await rowOf("Ada").getByText("25", { exact: true }).waitFor();
    await rowOf("Bob").getByText("10", { exact: true }).waitFor();
    await expectAccessible(page);
    // The server makes a query of the filter first. When that fails, the form says why and can be sent again.
    const isConvert = (address: URL) => address.pathname === "/api/v1/segments/convert";
    await page.route(isConvert, (route) => route.fulfill({ status: 403, json: { error: { message: "Not now." } } }));
    await form.getByRole("button", { name: "Add computed attribute" }).click();
    await form.locator("form").getByRole("alert").getByText("Not now.").waitFor();
    await page.unroute(isConvert);
    await form.getByRole("button", { name: "Add computed attribute" }).click();
    await page.getByText("spent is computed from now on").waitFor();
    const panel = page.getByRole("dialog", { name: "spent" });
    await panel.getByText("Sum of amount of “Order completed” that match the filter in the last 30 days").waitFor();
    await panel.getByText("True for everybody").waitFor();
    expect((await named("spent"))?.compute).toEqual({
      sum: {
        event: "Order completed",
        property: "amount",
        within: "30d",
        where: { term: { "properties.currency": "EUR" } },
      },
    });
    await expectAccessible(page);
  });

  test("are edited with the filter that they have, and marked in the table with a sentence", async () => {
    await create({
      name: "orders",
      compute: { count: { event: "Order completed", where: { term: { "properties.currency": "EUR" } } } },
    });
    const page = await dashboard.open("/attributes?attribute=traits_orders");
    await page.getByRole("dialog", { name: "orders" }).getByRole("button", { name: "Edit the definition" }).click();
    const form = page.getByRole("dialog", { name: "Edit orders" });
    await form.getByText("currency", { exact: true }).waitFor();
    await form.getByRole("listitem").filter({ hasText: "Ada" }).getByText("2", { exact: true }).waitFor();
    await form.getByRole("button", { name: "Remove the condition on currency" }).click();
    await form.getByRole("listitem").filter({ hasText: "Ada" }).getByText("3", { exact: true }).waitFor();
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("orders is changed").waitFor();
    await page.getByRole("table").getByText("Number of “Order completed”", { exact: true }).waitFor();
    await vi.waitUntil(() => isOk("orders"), PATIENCE);
    expect((await named("orders"))?.compute).toEqual({ count: { event: "Order completed" } });
  });

  test("are explained on a person: the events that count, and what a formula reads", async () => {
    await create({ name: "all_spent", compute: { sum: { event: "Order completed", property: "amount" } } });
    await create({ name: "is_large", compute: { formula: "plan == 'pro' && seats > 10" } });
    const ada = await idOf("ada");
    const page = await dashboard.open(`/users/${ada}?panel=attribute:all_spent`);
    const panel = page.getByRole("dialog", { name: "all_spent" });
    await panel.getByText("155", { exact: true }).first().waitFor();
    await panel.getByText("3 events count.").waitFor();
    await panel.getByRole("table", { name: "The events" }).getByText("90", { exact: true }).waitFor();
    expect(await panel.getByRole("button", { name: "Edit the value" }).count()).toBe(0);
    await expectAccessible(page);
    await page.goto(dashboard.address(`/users/${ada}?panel=attribute:is_large`));
    const inputs = page.getByRole("table", { name: "What the formula reads" });
    await inputs.getByRole("row").filter({ hasText: "plan" }).getByText("pro").waitFor();
    await inputs.getByRole("row").filter({ hasText: "seats" }).getByText("12").waitFor();
    await expectAccessible(page);
  });

  test("of formulas say what is wrong as somebody types, and take attributes from a list", async () => {
    const page = await dashboard.open("/attributes?computed=new");
    const form = formOf(page);
    await form.getByText("Other attributes").click();
    await form.getByLabel("Formula").fill("plan == 'pro' &&");
    await form.getByText("it ends too early. (column 17)").first().waitFor();
    await form.getByLabel("Insert an attribute").click();
    await page.getByRole("option", { name: "crm/stage" }).click();
    expect(await form.getByLabel("Formula").inputValue()).toBe(`plan == 'pro' && attribute("crm/stage")`);
    await form.getByLabel("Formula").fill(`plan == 'pro' && attribute("crm/stage") == 'lead'`);
    await form.getByRole("listitem").filter({ hasText: "Ada" }).getByText("true").waitFor();
  });

  test("are deleted after a question, with or without their values", async () => {
    await create({ name: "doomed", compute: { count: { event: "Order completed" } } });
    const page = await dashboard.open("/attributes?attribute=traits_doomed");
    const panel = page.getByRole("dialog", { name: "doomed", exact: true });
    await panel.getByRole("button", { name: "Delete", exact: true }).click();
    const asked = page.getByRole("dialog", { name: "Delete doomed" });
    await asked.getByLabel(/Keep the values/).click();
    await asked.getByRole("button", { name: "Delete the definition" }).click();
    await page.getByText("doomed is not computed any more").waitFor();
    expect(await named("doomed")).toBe(undefined);
    const report = await dashboard.api<{ traits_doomed: number }>("GET", `/${await idOf("ada")}/user_report`);
    expect(report.traits_doomed).toBe(3);
  });

  test("cannot be changed by somebody who may only look", async () => {
    const context = await dashboard.signInAs("viewer");
    const page = await dashboard.open("/attributes?computed=new", context);
    expect(await page.getByRole("button", { name: "Add a computed attribute" }).isDisabled()).toBe(true);
    expect(await formOf(page).count()).toBe(0);
    await context.close();
  });
});
