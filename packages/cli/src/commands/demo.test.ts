import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ADMIN_TOKEN } from "../../../../apps/server/src/testing/test-server.js";
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
    ["Outgoing Webhooks", false],
    ["Processor", false],
    ["Incoming Webhooks", false],
    ["Old CRM", false],
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
  const [, webhooks] = (await json("connector", "list")) as { enabled: boolean }[];
  expect(webhooks).toMatchObject({ enabled: true });
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

test("a demo that is stopped while its connectors start leaves none of them running or enabled", async () => {
  const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
  const demo = spawn(process.execPath, [program, "demo", "--users", "5", "--live"], {
    env: { ...process.env, MUSTER_URL: served.server.url, MUSTER_ADMIN_TOKEN: ADMIN_TOKEN },
    stdio: "ignore",
  });
  const ended = once(demo, "exit");
  type Listed = { name: string; enabled: boolean; source_url?: string | null };
  let connectors: Listed[] = [];
  await vi.waitFor(async () => {
    const { stdout } = await served.cli(["connector", "list", "--org", "demo", "--json"]);
    connectors = JSON.parse(stdout);
    expect(connectors.length).toBeGreaterThan(1);
  }, LONGEST);
  demo.kill("SIGTERM");
  expect(await ended).toEqual([1, null]);

  connectors = await json("connector", "list");
  const installed = connectors.filter(({ name }) => name !== "Demo data");
  expect(installed.filter(({ enabled }) => enabled)).toEqual([]);
  for (const { source_url } of installed) await expect(fetch(`${source_url}/manifest.json`)).rejects.toThrow();
}, 240_000);
