// @module-tag long
import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ADMIN_TOKEN } from "../../../../apps/server/src/testing/test-server.js";
import { Api } from "../api.js";
import { type CliServer, openCliServer } from "../testing/cli-server.js";

// A busy machine takes some seconds to start three connectors.
const LONGEST = { timeout: 90_000, interval: 200 };

let served: CliServer;
beforeAll(async () => {
  served = await openCliServer();
});
afterAll(() => served?.close());

const json = (...args: string[]) => served.json([...args, "--org", "demo"]);

interface Segment {
  name: string;
  stats: { users?: number };
}

async function sizeOf(segment: string): Promise<number> {
  const found = ((await json("segment", "list")) as Segment[]).find(({ name }) => name === segment);
  return found?.stats.users ?? 0;
}

test("a demo is filled once, moves with --live, and leaves nothing after --remove", async () => {
  const sights = await served.json(["demo", "--users", "60"]);
  expect(sights).toMatchObject({
    organization: "demo",
    sign_in_url: expect.stringMatching(/\/sign-in\/link\/[\w-]+\?to=\/o\/[0-9a-f]{24}$/),
    segments: [{ name: "Trial ending" }, { name: "Power users" }, { name: "Accounts at risk" }],
    user: { url: expect.stringMatching(/\/o\/[0-9a-f]{24}\/users\/[0-9a-f]{24}$/) },
    website_url: null,
  });

  // The connectors of the demo have had something to do, and the CRM has refused some of it.
  const connectors = (await json("connector", "list")) as { id: string; name: string; enabled: boolean }[];
  expect(connectors.map(({ name, enabled }) => [name, enabled])).toEqual([
    ["Demo data", true],
    ["Processor", true],
    ["Incoming Webhooks", true],
    ["Old CRM", true],
  ]);
  const crm = connectors.find(({ name }) => name === "Old CRM")?.id;
  const { url } = served.server;
  const api = new Api({ url, token: ADMIN_TOKEN, brand: createBrand(), organization: "demo" });
  await vi.waitFor(async () => {
    const letters = await api.get<object[]>(`/dead_letters?connector_id=${crm}`);
    expect(JSON.stringify(letters)).toContain("Italy is not in the list of countries.");
  }, LONGEST);
  const cards = await api.get<{ name: string; home_place: number }[]>("/insights");
  expect(cards.sort((one, other) => one.home_place - other.home_place).map(({ name }) => name)).toEqual([
    "Orders by week",
    "From the website to an order",
    "Who orders again",
  ]);
  await vi.waitFor(async () => {
    const paid = await json("search", "events", "--query", '{"term": {"event": "Invoice paid"}}');
    expect(paid.total).toBeGreaterThan(0);
  }, LONGEST);

  // A second run finds it filled and changes nothing. Another company is refused.
  const before = (await json("search", "users", "--limit", "1")).total;
  const again = await served.cli(["demo"]);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("already exists") });
  expect((await json("search", "users", "--limit", "1")).total).toBe(before);
  expect(await served.cli(["demo", "--users", "70"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("muster demo --remove"),
  });

  // Live records enter segments, while the website and the connectors run.
  const newcomers = await sizeOf("New this week");
  const stop = new AbortController();
  let website = "";
  const live = served.cli(["demo", "--live", "--rate", "40", "--json"], {
    signal: stop.signal,
    onOutput: (stdout) => {
      website = JSON.parse(stdout).website_url;
    },
  });
  await vi.waitFor(async () => expect(await sizeOf("New this week")).toBeGreaterThan(newcomers), LONGEST);
  expect(await (await fetch(website)).text()).toContain("Tea shop");
  stop.abort();
  expect(await live).toMatchObject({ code: 0 });
  await expect(fetch(website)).rejects.toThrow();

  expect(await served.cli(["demo", "--remove"])).toMatchObject({ code: 4, stderr: expect.stringContaining("--yes") });
  expect(await served.json(["demo", "--remove", "--yes"])).toEqual({ organization: "demo", removed: true });
  const organizations = (await served.json(["org", "list"])) as { namespace: string }[];
  expect(organizations.map(({ namespace }) => namespace)).toEqual(["default"]);
  expect(await served.cli(["demo", "--remove", "--yes"])).toMatchObject({
    code: 1,
    stderr: 'There is no demo in the organization "demo".\n',
  });
}, 240_000);
