// @module-tag long
import { type BatchEntry, createBrand, signToken } from "@muster/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connectorHeaders } from "../support/call-api.js";
import type { Credentials } from "../support/credentials.js";
import { NotifiedApp } from "../support/notified-app.js";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { FAILED, failCalls } from "./kit/fail-calls.js";
import { sendEntries } from "./kit/send-entries.js";

const { headers: names, claims } = createBrand();
interface Who {
  user?: Record<string, string>;
  account?: Record<string, string>;
}

describe.runIf(hasBrowser)("the page of a user or account", () => {
  let dashboard: Dashboard;
  let app: NotifiedApp;
  let connector: Credentials;
  let segmentId: string;

  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme");
    app = await NotifiedApp.open();
    connector = await dashboard.api<Credentials>("POST", "/connectors/install", { url: app.url });
    const query = { bool: { must: [{ term: { traits_plan: "pro" } }, { range: { traits_mrr: { gte: 100 } } }] } };
    const segment = { name: "Large pro customers", query, predicate: {} };
    ({ id: segmentId } = await dashboard.api<{ id: string }>("POST", "/users_segments", segment));
  });
  afterAll(async () => {
    await app?.close();
    await dashboard?.close();
  });

  function entry(type: BatchEntry["type"], { user, account }: Who, body: Record<string, unknown>): BatchEntry {
    const token = signToken(
      {
        iss: connector.id,
        iat: Math.floor(Date.now() / 1_000),
        [claims.subjectType]: user ? "user" : "account",
        ...(user ? { [claims.asUser]: user } : {}),
        ...(account ? { [claims.asAccount]: account } : {}),
      },
      connector.secret,
    );
    return { type, timestamp: new Date().toISOString(), headers: { [names.accessToken]: token }, body };
  }

  /** Sends entries one by one and waits until each can be found. */
  async function send(...entries: BatchEntry[]): Promise<void> {
    for (const one of entries) {
      const { position } = await sendEntries(dashboard, connector, [one]);
      const headers = { ...connectorHeaders(connector), [names.organization]: dashboard.organization.id };
      await fetch(`${dashboard.url}/api/v1/app`, { headers: { ...headers, [names.waitFor]: position } });
    }
  }

  async function idOf(user: string): Promise<string> {
    const found = await dashboard.api<{ data: { id: string }[] }>("POST", "/search/user_reports", {
      query: { term: { external_id: user } },
    });
    const id = found.data[0]?.id;
    if (id === undefined) throw new Error(`There is no user ${user}.`);
    return id;
  }

  const panel = (page: Page) => page.getByRole("dialog");

  test("says why somebody is not in a segment, clause by clause, and follows a change", async () => {
    const ann = { user: { external_id: "ann", email: "ann@example.com" }, account: { domain: "ann.example" } };
    await send(entry("traits", ann, { name: "Ann Weber", plan: "pro", mrr: 40 }));
    const page = await dashboard.open(`/users/${await idOf("ann")}`);
    await page.getByRole("heading", { level: 1, name: "Ann Weber" }).waitFor();
    await page.getByText("In no segment.").waitFor();
    await page.getByRole("button", { name: "Why not in a segment…" }).click();
    await panel(page).getByRole("combobox", { name: "Segment" }).click();
    await page.getByRole("option", { name: "Large pro customers" }).click();
    await panel(page).getByText("Not in this segment.").waitFor();
    const clauses = panel(page).getByRole("listitem");
    await clauses.filter({ hasText: "The value is pro." }).getByText("It holds.").waitFor();
    await clauses.filter({ hasText: "The value is 40." }).getByText("It does not hold.").waitFor();
    await expectAccessible(page);

    await send(entry("traits", ann, { mrr: 400 }));
    await panel(page).getByText("In this segment since").waitFor(PATIENCE);
    await panel(page).getByText("The value is 400.").waitFor(PATIENCE);

    const again = await dashboard.open(page.url().slice(page.url().indexOf("/users/")));
    await panel(again).getByText("In this segment since").waitFor();
    await again.keyboard.press("Escape");
    await again.getByRole("group", { name: "Segments" }).getByRole("button", { name: "Large pro customers" }).waitFor();
    expect(segmentId).not.toBe("");
  });

  test("shows an event as it arrives, and its properties", async () => {
    const bob = { user: { external_id: "bob" } };
    await send(entry("traits", bob, { name: "Bob" }));
    const page = await dashboard.open(`/users/${await idOf("bob")}`);
    await page.getByText("Live", { exact: true }).waitFor();
    await send(
      entry("track", bob, { event: "Ordered a bike", properties: { color: "green" }, session_id: "visit-1" }),
      entry("track", bob, { event: "Paid", properties: {}, session_id: "visit-1" }),
    );
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("2 events within a minute").waitFor(PATIENCE);
    await timeline.getByRole("button", { name: "Ordered a bike" }).click();
    await panel(page).getByRole("row", { name: "color green" }).waitFor();
    const shared = await dashboard.open(page.url().slice(page.url().indexOf("/users/")));
    await panel(shared).getByRole("row", { name: "color green" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Deliveries", { exact: true }).click();
    await timeline.getByRole("button", { name: "Ordered a bike" }).waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("kinds")).toBe("delivery");
  });

  test("tells when, by whom and from what an attribute changed", async () => {
    const eve = { user: { external_id: "eve" } };
    await send(entry("traits", eve, { plan: "free", city: "Bern" }), entry("traits", eve, { plan: "team" }));
    const page = await dashboard.open(`/users/${await idOf("eve")}`);
    const attributes = page.getByRole("region", { name: "Attributes", exact: true }).first();
    await attributes.getByRole("textbox", { name: "Filter attributes" }).fill("plan");
    await attributes.getByRole("button", { name: /^city/ }).waitFor({ state: "detached" });
    const plan = attributes.getByRole("button", { name: /^plan/ });
    await plan.getByText("changed").waitFor();
    await plan.hover();
    await page.getByText(/Written .* by Listener\. Before: free\./).waitFor();
    await plan.click();
    await panel(page).getByText("free").waitFor();
    await panel(page)
      .getByText(/replaced .* by Listener/)
      .waitFor();
    await expectAccessible(page);
  });

  test("the page shows what was known at a moment, by the address, the field and the slider", async () => {
    const iris = { user: { external_id: "iris" } };
    await send(entry("traits", iris, { name: "Iris", plan: "pro", mrr: 500 }));
    const id = await idOf("iris");
    await expect
      .poll(async () => (await dashboard.api<{ segments: unknown[] }>("GET", `/${id}/user_report`)).segments, PATIENCE)
      .toHaveLength(1);
    const then = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await send(entry("traits", iris, { plan: "free" }));
    await expect
      .poll(async () => (await dashboard.api<{ segments: unknown[] }>("GET", `/${id}/user_report`)).segments, PATIENCE)
      .toEqual([]);

    const page = await dashboard.open(`/users/${id}?at=${then}`);
    const attributes = page.getByRole("region", { name: "Attributes" });
    await attributes.getByText("As it was on").waitFor(PATIENCE);
    const plan = attributes.getByRole("button", { name: /^plan/ });
    expect(await plan.textContent()).toContain("pro");
    await attributes.getByRole("group", { name: "Segments then" }).getByText("Large pro customers").waitFor();
    await expectAccessible(page);

    await attributes.getByRole("button", { name: "Now", exact: true }).click();
    await expect.poll(() => plan.textContent(), PATIENCE).toContain("free");
    await attributes.getByRole("slider", { name: "What was known at" }).press("Home");
    await attributes.getByText("As it was on").waitFor(PATIENCE);
    await expect.poll(() => plan.textContent(), PATIENCE).toContain("pro");
    await attributes.getByRole("button", { name: "Look back" }).click();
    await expect.poll(() => plan.textContent(), PATIENCE).toContain("free");
  });

  test("an attribute is edited by hand, and says by whom", async () => {
    await send(entry("traits", { user: { external_id: "hanna" } }, { name: "Hanna", seats: 3 }));
    const page = await dashboard.open(`/users/${await idOf("hanna")}?panel=attribute:seats`);
    await panel(page).getByRole("button", { name: "Edit the value" }).click();
    await panel(page).getByLabel("New value").fill("many");
    await panel(page).getByText("Write a number.").waitFor();
    await panel(page).getByLabel("New value").fill("5");
    await panel(page).getByRole("button", { name: "Write the value" }).click();
    await page.getByText("seats is written").waitFor();
    await panel(page).getByText("came from hand, by").waitFor(PATIENCE);
    await panel(page).getByText("3", { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test("shows a delivery with its request and answer, and sends the user once more", async () => {
    // Only a few messages a minute are kept for each connector, so this one gets no others.
    const mailer = await NotifiedApp.open("Mailer");
    await dashboard.api("POST", "/connectors/install", { url: mailer.url });
    const zoe = { user: { external_id: "zoe", email: "zoe@example.com" } };
    await send(entry("traits", zoe, { name: "Zoe Kim", plan: "trial" }));
    const page = await dashboard.open(`/users/${await idOf("zoe")}`);
    const deliveries = page
      .getByRole("region", { name: "Timeline" })
      .getByRole("button", { name: "Delivered to Mailer" });
    await deliveries.first().waitFor(PATIENCE);
    await deliveries.first().click();
    await panel(page).getByLabel("Request").getByText("zoe@example.com").first().waitFor();
    await panel(page).getByLabel("Answer").getByText("flow_control").first().waitFor();
    await page.keyboard.press("Escape");
    const before = await deliveries.count();

    await page.getByRole("button", { name: "Send to a connector" }).click();
    await page.getByRole("combobox", { name: "Connector" }).click();
    await page.getByRole("option", { name: "Mailer" }).click();
    await page.getByRole("button", { name: "Send user" }).click();
    await page.getByText("Queued for Mailer.").waitFor();
    await vi.waitUntil(async () => (await deliveries.count()) > before, PATIENCE);
    await mailer.close();
  });

  test("says that the connectors cannot be read when it is sent to one", async () => {
    await send(entry("traits", { user: { external_id: "lee" } }, { name: "Lee" }));
    const page = await dashboard.windowOfTest();
    const heal = await failCalls(page, "**/api/v1/connectors?*");
    await page.goto(dashboard.address(`/users/${await idOf("lee")}`));
    await page.getByRole("button", { name: "Send to a connector" }).click();
    const dialog = page.getByRole("dialog", { name: "Send to a connector" });
    await dialog.getByText(FAILED).waitFor();
    expect(await dialog.getByRole("combobox", { name: "Connector" }).isDisabled()).toBe(true);
    await heal();
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.getByText(FAILED).waitFor({ state: "detached" });
    expect(await dialog.getByRole("combobox", { name: "Connector" }).isEnabled()).toBe(true);
  });

  test("shows merges with their cause, and an identifier can be removed", async () => {
    const max = { user: { external_id: "max" } };
    await send(
      entry("track", { user: { anonymous_id: "cookie-9" } }, { event: "Viewed" }),
      entry("traits", max, { name: "Max" }),
      entry("alias", max, { anonymous_id: "cookie-9" }),
    );
    const page = await dashboard.open(`/users/${await idOf("max")}`);
    await page.getByRole("button", { name: "Identity, 1 merge" }).click();
    await panel(page).getByText("A record of Listener named the anonymous id cookie-9.").waitFor();
    const identifiers = panel(page).getByRole("region", { name: "Identifiers" });
    await expectAccessible(page);
    await identifiers.getByRole("button", { name: "Remove" }).last().click();
    await page.getByRole("button", { name: "Remove identifier" }).click();
    await identifiers.getByText("cookie-9").waitFor({ state: "detached" });
  });

  test("a merge is undone after a look at both, and a person gives to each what nobody can decide", async () => {
    const una = { user: { external_id: "una" } };
    const kiosk = { user: { anonymous_id: "kiosk-1" } };
    await send(entry("traits", una, { name: "Una", plan: "trial" }), entry("traits", kiosk, { language: "no" }));
    const unaId = await idOf("una");
    await send(
      entry("alias", una, { anonymous_id: "kiosk-1" }),
      entry("traits", { user: { external_id: "una", anonymous_id: "kiosk-1" } }, { plan: "pro", city: "Oslo" }),
      entry("track", kiosk, { event: "Looked" }),
    );
    const page = await dashboard.open(`/users/${unaId}`);
    await page.getByRole("button", { name: "Identity, 1 merge" }).click();
    const merges = panel(page).getByRole("region", { name: "Merges" });
    await merges.getByRole("button", { name: "Undo this merge" }).click();
    const dialog = page.getByRole("dialog", { name: "Undo this merge" });
    const both = dialog.getByRole("table", { name: "Both halves" });
    await both
      .getByRole("row", { name: /^language/ })
      .getByText("no")
      .waitFor();
    await both.getByRole("row", { name: /^plan/ }).getByText("pro").waitFor();
    await both.getByRole("row", { name: /^events 0 1$/ }).waitFor();
    await expectAccessible(page);
    const open = dialog.getByRole("region", { name: "What nobody can decide" });
    await open.getByText("Here it is trial again then.").waitFor();
    await open.getByRole("checkbox", { name: "plan: pro" }).check();
    await both.getByRole("row", { name: /^plan trial/ }).waitFor();
    await dialog.getByRole("button", { name: "Split the two" }).click();
    await page.getByText("These are two users again").waitFor();
    await merges.getByText("was undone").waitFor();
    const visitor = merges.getByRole("link", { name: /^Anonymous …/ });
    expect(await visitor.getAttribute("href")).toMatch(/\/users\/[0-9a-f]{24}$/);
    await panel(page).getByText("kiosk-1").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Timeline" }).getByText("Split from kiosk-1").waitFor(PATIENCE);
    const report = await dashboard.api<{ data: Record<string, unknown>[] }>("POST", "/search/user_reports", {
      query: { term: { traits_language: "no" } },
    });
    expect(report.data).toMatchObject([{ anonymous_ids: ["kiosk-1"], traits_plan: "pro" }]);
    expect(report.data[0]).not.toHaveProperty("traits_city");
  });

  test("a visitor who typed the email of a user is shown with the user, and is joined after a question", async () => {
    await send(entry("traits", { user: { external_id: "joan", email: "joan@example.com" } }, { name: "Joan" }));
    const platform = await dashboard.api<{ id: string }>("POST", "/platforms", {
      name: "Shop",
      domains: ["shop.example"],
    });
    const now = new Date().toISOString();
    const batch = [{ id: "1", type: "traits", timestamp: now, body: { email: "Joan@example.com", size: "L" } }];
    const typed = await fetch(`${dashboard.url}/api/v1/${platform.id}/records`, {
      method: "POST",
      headers: {
        origin: "https://shop.example",
        "content-type": "text/plain",
        [names.organization]: dashboard.organization.id,
      },
      body: JSON.stringify({ bid: "joans-browser", sid: "visit", sentAt: now, batch }),
    });
    expect(typed.status).toBe(200);
    const page = await dashboard.open(`/users/${await idOf("joan")}`);
    const identity = page.getByRole("button", { name: "Identity, probably the same as another user" });
    await vi.waitFor(async () => {
      await page.reload();
      await identity.waitFor({ timeout: 2_000 });
    }, PATIENCE);
    await identity.click();
    const same = panel(page).getByRole("region", { name: "Probably the same" });
    await same.getByText("typed Joan@example.com").waitFor();
    await expectAccessible(page);
    await same.getByRole("button", { name: "Join" }).click();
    await page.getByRole("button", { name: "Join them" }).click();
    await same.waitFor({ state: "detached" });
    await panel(page).getByText("joans-browser").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("unproved", { exact: true }).waitFor(PATIENCE);
  });

  test("which notifications a user wants is set and taken back, and apps read it in the record", async () => {
    await send(entry("traits", { user: { external_id: "nora" } }, { name: "Nora" }));
    const id = await idOf("nora");
    const read = async () =>
      (await dashboard.api<{ settings: { notifications: object } }>("GET", `/${id}`)).settings.notifications;
    const page = await dashboard.open(`/users/${id}?panel=identity`);
    const part = panel(page).getByRole("region", { name: "Notifications" });
    await part.getByLabel("Name of a notification").fill("weekly_summary");
    await part.getByRole("button", { name: "Add" }).click();
    await part.getByRole("switch", { name: "weekly_summary" }).waitFor();
    expect(await read()).toEqual({ weekly_summary: true });
    await expectAccessible(page);
    await part.getByRole("switch", { name: "weekly_summary" }).click({ force: true });
    await page.getByText("weekly_summary is off").waitFor();
    expect(await read()).toEqual({ weekly_summary: false });
    await part.getByRole("button", { name: "Remove weekly_summary" }).click();
    await page.getByText("weekly_summary is removed").waitFor();
    expect(await read()).toEqual({});
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect.poll(read, PATIENCE).toEqual({ weekly_summary: false });
  });

  test("a comment appears, and can be taken back", async () => {
    await send(entry("traits", { user: { external_id: "kim" } }, { name: "Kim" }));
    const page = await dashboard.open(`/users/${await idOf("kim")}`);
    await page.getByRole("textbox", { name: "Comment" }).fill("Called back today");
    await page.keyboard.press("Enter");
    const comment = page.getByRole("region", { name: "Timeline" }).getByRole("button", { name: "Called back today" });
    await comment.waitFor(PATIENCE);
    await page.getByRole("button", { name: "Undo" }).click();
    await comment.waitFor({ state: "detached" });
  });

  test("the page of an account has its users, and works on a phone", async () => {
    const ines = { user: { external_id: "ines" }, account: { domain: "ines.example" } };
    await send(
      entry("traits", ines, { first_name: "Ines", last_name: "Díaz" }),
      entry("traits", { account: ines.account }, { tier: "gold" }),
      entry("track", ines, { event: "Rang the bell", url: "https://ines.example/door", session_id: "ring" }),
    );
    const user = await dashboard.api<{ account: { id: string } }>("GET", `/${await idOf("ines")}/user_report`);
    const phone = await dashboard.signIn({ viewport: { width: 390, height: 844 } });
    const page = await dashboard.open(`/accounts/${user.account.id}`, phone);
    await page.getByRole("heading", { level: 1, name: "ines.example" }).waitFor();
    await page.getByText("Ines Díaz: Rang the bell").waitFor();
    await page.getByText("1 event on /door").waitFor();
    await page.getByText("Attributes and users").click();
    await page.getByRole("button", { name: /^tier/ }).waitFor();
    await expectAccessible(page);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
    await page.getByRole("link", { name: "Ines Díaz" }).click();
    await page.getByRole("heading", { level: 1, name: "Ines Díaz" }).waitFor();
  });

  test("somebody is erased only after the identifier was typed, and is gone", async () => {
    const tom = { user: { external_id: "tom", email: "tom@example.com" } };
    await send(entry("traits", tom, { name: "Tom" }));
    const id = await idOf("tom");
    const page = await dashboard.open(`/users/${id}`);
    await page.getByRole("button", { name: "Erase", exact: true }).click();
    const erase = page.getByRole("button", { name: "Erase user" });
    await page.getByText("This cannot be undone.").waitFor();
    expect(await erase.isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Type tom@example.com to confirm" }).fill("tom@example.com");
    await erase.click();
    await page.getByText("Erased Tom.").waitFor();
    await expect(dashboard.api("GET", `/${id}/user_report`)).rejects.toThrow("404");
    await page.goto(dashboard.address(`/users/${id}`));
    await page.getByText("There is no such user").waitFor();
  });
});
