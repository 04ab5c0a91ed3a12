// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { FAILED, failCalls } from "./kit/fail-calls.js";
import { type FormConnector, startFormConnector } from "./kit/form-connector.js";

const MANIFEST = {
  name: "Letters",
  version: "1.0.0",
  tags: ["destination"],
  private_settings: [{ name: "mappings", type: "array", format: "hidden", default: [] }],
  json: [{ url: "/form" }],
};

const ACTION = {
  key: "send",
  title: "Send",
  description: "",
  trigger: 'type = "track"',
  fields: [],
  startingFields: {},
};

const STORED = [{ id: "first", name: "Welcome", action: "send", enabled: true, trigger: 'type = "track"', fields: {} }];

describe.runIf(hasBrowser)("the mappings of a destination", () => {
  let dashboard: Dashboard;
  let app: FormConnector;
  let id: string;
  beforeAll(async () => {
    app = await startFormConnector(MANIFEST, { "/form": () => ({ title: "Letters", actions: [ACTION] }) });
    dashboard = await Dashboard.onNew("Mappings");
    ({ id } = await dashboard.api<{ id: string }>("POST", "/connectors/install", { url: app.url }));
    await dashboard.api("PUT", `/${id}`, { private_settings: { mappings: STORED } });
  });
  afterAll(async () => {
    await dashboard?.close();
    await app?.close();
  });

  test("are not edited before those that are stored are read: saving replaces them all", async () => {
    const page = await dashboard.open(`/connectors/${id}`);
    const tab = page.getByRole("tab", { name: "Mapping" });
    await tab.waitFor();
    // The screen has its connector. What the tab reads fails.
    const heal = await failCalls(page, `**/api/v1/${id}`);
    await tab.click();
    await page.getByText(FAILED).waitFor();
    expect(await page.getByRole("button", { name: "Save mappings" }).count()).toBe(0);
    expect(await page.getByText("There are no mappings").count()).toBe(0);
    await expectAccessible(page);
    await heal();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: /^Welcome/ }).waitFor();
    await page.getByRole("combobox", { name: "Add a mapping" }).click();
    await page.getByRole("option", { name: "Send" }).click();
    await page.getByRole("button", { name: "Save mappings" }).click();
    await page.getByText("Mappings saved").waitFor();
    const names = async () => {
      const { private_settings } = await dashboard.api<{ private_settings: { mappings: { name: string }[] } }>(
        "GET",
        `/${id}`,
      );
      return private_settings.mappings.map(({ name }) => name);
    };
    await expect.poll(names, PATIENCE).toEqual(["Welcome", "Send"]);
  });
});
