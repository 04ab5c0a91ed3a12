import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "../dashboard/kit/dashboard.js";
import { sendEntries } from "../dashboard/kit/send-entries.js";
import type { Credentials } from "../support/credentials.js";
import { userEntry } from "../support/entries.js";
import { PATIENCE } from "../support/patience.js";

const HOOK = "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX";

describe.runIf(hasBrowser)("Slack, from the gallery to the deliveries", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Slack");
    await dashboard.api("POST", "/users_segments", { name: "Pros", query: { term: { plan: "pro" } }, predicate: {} });
    const api = await dashboard.api<Credentials>("POST", "/connectors", { name: "Sender" });
    const entry = userEntry(api, "ada", "traits", { name: "Ada Lovelace", email: "ada@example.com", plan: "pro" });
    await sendEntries(dashboard, api, [entry]);
  });
  afterAll(() => dashboard?.close());

  test("is installed, mapped, tried with a real user, and its delivery is shown", async () => {
    const page = await dashboard.open("/connectors?view=gallery");
    await page.getByRole("textbox", { name: "Search destinations" }).fill("slack");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Install Slack" }).click();

    await page.getByRole("combobox", { name: "User segments" }).click();
    await page.getByRole("option", { name: "Pros" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Save/ }).click();

    await page.getByRole("tab", { name: "Mapping" }).click();
    await page.getByRole("combobox", { name: "Runs when" }).fill('event = "Audience Entered"');
    await page.getByRole("combobox", { name: "Webhook URL" }).fill(HOOK);
    await page.getByRole("textbox", { name: "Message" }).fill("{{traits.name}} entered {{properties.audience_name}}");
    await page.getByRole("switch", { name: "Switched on", exact: true }).click();

    await page.getByRole("combobox", { name: "About this user" }).fill("ada");
    await page.getByRole("option", { name: /Ada Lovelace/ }).click();
    const payload = page.getByRole("region", { name: "Payload" });
    await payload.getByText("Ada Lovelace entered Pros").waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Save mappings" }).click();
    await page.getByText("Mappings saved").waitFor();
    await page.getByRole("button", { name: "Send a test" }).click();
    await payload.getByText("Accepted").waitFor();
    await vi.waitFor(async () => {
      const calls = await (await fetch(inject("slackCalls"))).json();
      const body = expect.objectContaining({ text: "Ada Lovelace entered Pros" });
      expect(calls).toContainEqual({ url: HOOK, body });
    }, PATIENCE);

    await page.getByRole("tab", { name: "Deliveries" }).click();
    await page.getByText("Sent messages", { exact: true }).click();
    const sent = page.getByRole("table", { name: "Sent messages" });
    await sent.getByText("Accepted").first().waitFor();
    await sent.getByText("Ada Lovelace").first().waitFor();
  });
});
