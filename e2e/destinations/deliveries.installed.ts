import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Dashboard, hasBrowser } from "../dashboard/kit/dashboard.js";
import { sendEntries } from "../dashboard/kit/send-entries.js";
import type { Credentials } from "../support/credentials.js";
import { userEntry } from "../support/entries.js";
import { PATIENCE } from "../support/patience.js";

const HOOK = "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX";
const MAPPING = {
  id: "told",
  name: "Told",
  action: "postToChannel",
  enabled: true,
  trigger: 'type = "identify"',
  fields: { url: HOOK, text: { "@template": "{{traits.name}}" } },
};

describe.runIf(hasBrowser)("a destination in a server", () => {
  let dashboard: Dashboard;
  let sender: Credentials;
  let slack: Credentials;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Deliveries");
    sender = await dashboard.api<Credentials>("POST", "/connectors", { name: "Sender" });
    slack = await dashboard.api<Credentials>("POST", "/connectors/install", { url: "muster://slack.destinations" });
    const settings = { segments: ["ALL"], mappings: [MAPPING] };
    await dashboard.api("PUT", `/${slack.id}`, { private_settings: settings });
  });
  afterAll(() => dashboard?.close());

  const set = (...names: string[]) =>
    sendEntries(
      dashboard,
      sender,
      names.map((name) => userEntry(sender, name.replaceAll(" ", "-"), "traits", { name })),
    );

  /** What was delivered about users. The connector is told of its settings too. */
  const delivered = async () => {
    const traces = await dashboard.api<{ channel: string }[]>("GET", `/${slack.id}/delivery/traces?result=delivered`);
    return traces.filter(({ channel }) => channel === "user:update");
  };

  test("a record that the service refuses becomes a dead letter with its answer, and the others are delivered", async () => {
    await set("Ada", "Poison answer 400", "Bo");
    await vi.waitFor(async () => {
      expect(await delivered()).toHaveLength(2);
      const letters = await dashboard.api<object[]>("GET", `/dead_letters?connector_id=${slack.id}`);
      expect(letters).toHaveLength(1);
    }, PATIENCE);
    const page = await dashboard.open(`/connectors/${slack.id}?tab=deliveries`);
    await page.getByText("Bad Request").first().waitFor();
  });

  test("credentials that are refused stop the sending until the settings change, and the screen says so", async () => {
    await set("Eve answer 401");
    const page = await dashboard.open(`/connectors/${slack.id}`);
    await page.getByText("Unauthorized").first().waitFor();
    await set("Cy");
    const delivery = await dashboard.api<{ waiting_messages?: number }>("GET", `/${slack.id}/delivery`);
    expect(delivery).toMatchObject({ dead_letters: 1 });
    const renamed = { ...MAPPING, fields: { ...MAPPING.fields, text: "Somebody" } };
    await dashboard.api("PUT", `/${slack.id}`, { private_settings: { mappings: [renamed] } });
    await vi.waitFor(async () => {
      expect(await delivered()).toHaveLength(4);
    }, PATIENCE);
  });
});
