import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, hasBrowser } from "../dashboard/kit/dashboard.js";
import { sendEntries } from "../dashboard/kit/send-entries.js";
import type { Credentials } from "../support/credentials.js";
import { userEntry } from "../support/entries.js";

/** On a quiet machine it takes some seconds. The limit is for a page that hangs. */
const TEST_MS = 300_000;

describe.runIf(hasBrowser)("a mapping that somebody adds", () => {
  let dashboard: Dashboard;
  let id: string;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Mapping");
    const url = "muster://salesforce.destinations";
    ({ id } = await dashboard.api<{ id: string }>("POST", "/connectors/install", { url }));
    const api = await dashboard.api<Credentials>("POST", "/connectors", { name: "Sender" });
    await sendEntries(dashboard, api, [
      userEntry(api, "ada", "traits", { name: "Ada Lovelace", email: "ada@example.com" }),
      userEntry(api, "ada", "track", { event: "Trial begun", properties: { seats_wanted: 3 } }),
    ]);
  });
  afterAll(() => dashboard?.close());

  test(
    "begins with the values of its action, and is not lost by a click elsewhere",
    async () => {
      const page = await dashboard.open(`/connectors/${id}?tab=mapping`);
      // The actions are there.
      await page.getByRole("button", { name: /^Show \d+ more fields$/ }).waitFor();
      await page.getByRole("combobox", { name: "Add a mapping" }).click();
      await page.getByRole("option", { name: "Contact V2" }).click();
      const form = page.getByRole("region", { name: "Mapping", exact: true });
      // The package begins with inserting, which makes a second contact of everybody who changes.
      const mode = form.getByRole("combobox", { name: "How to sync records" });
      expect(await mode.inputValue()).toBe("Insert Records");
      await mode.click();
      await page.getByRole("option", { name: "Upsert Records" }).click();
      const surname = form.getByRole("combobox", { name: "Last Name" });
      expect(await surname.inputValue()).toBe("{{traits.last_name ?? properties.last_name}}");

      const trigger = form.getByRole("combobox", { name: "Runs when" });
      expect(await trigger.inputValue()).toBe('event = "Audience Entered" or event = "Audience Exited"');
      const payload = page.getByRole("region", { name: "Payload" });
      await page.getByRole("combobox", { name: "About this user" }).fill("ada");
      await page.getByRole("option", { name: /Ada Lovelace/ }).click();
      await trigger.fill("");
      await payload.getByText("Nothing says when it runs.").waitFor();
      await trigger.fill('type = "identify"');
      // The properties of the user's events have come with the payload.
      await payload.getByText("ada@example.com").first().waitFor();
      const email = form.getByRole("combobox", { name: "Email" });
      await email.fill("seats");
      await page.getByRole("option", { name: "{{properties.seats_wanted}}" }).click();

      await page.getByRole("navigation", { name: "Mappings" }).getByRole("button").first().click();
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByRole("dialog", { name: "Changes are not saved" }).getByRole("button", { name: "Stay" }).click();
      await page.getByRole("button", { name: "Save mappings" }).click();
      await page.getByText("Mappings saved").waitFor();
      const { private_settings: stored } = await dashboard.api<{
        private_settings: { mappings: { action: string; fields: Record<string, unknown> }[] };
      }>("GET", `/${id}`);
      const added = stored.mappings.filter(({ action }) => action === "contact2").at(-1);
      expect(added?.fields).toMatchObject({
        __segment_internal_sync_mode: "upsert",
        email: { "@path": "$.properties.seats_wanted" },
      });
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByRole("combobox", { name: "User segments" }).waitFor();
    },
    TEST_MS,
  );
});
