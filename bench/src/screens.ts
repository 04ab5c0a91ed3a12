import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { buildDashboard } from "./dashboard/build-dashboard.js";
import { type ContentTimes, measureContent, type Screen } from "./dashboard/measure-content.js";
import { ScriptScales } from "./dashboard/weigh-scripts.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { goalMark } from "./lib/goal-mark.js";
import { percentile } from "./lib/percentile.js";
import { startServer, withDataDir } from "./lib/start-server.js";

const USERS = 20_000;
const RELOADS = 20;
// A small scale is there to see whether the benchmark works.
const FEWEST_RELOADS = 2;
const GOALS = { contentMs: 1_000, scriptKilobytes: 250 };
const MUSTER = fileURLToPath(new URL("../../packages/cli/bin/muster.js", import.meta.url));

/** Measures how long every main screen of the demo takes after a hard reload, until what people came for is painted. */
export async function run({ scale, only = "" }: BenchOptions): Promise<BenchResult> {
  const users = Math.round(USERS * scale);
  const reloads = Math.max(FEWEST_RELOADS, Math.round(RELOADS * Math.min(1, scale)));
  await buildDashboard();
  return withDataDir(async (dataDir) => {
    const server = await startServer({ dataDir });
    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    const environment = { ...process.env, MUSTER_URL: server.url, MUSTER_ADMIN_TOKEN: token, DATA_DIR: dataDir };
    await promisify(execFile)(process.execPath, [MUSTER, "demo", "--users", String(users)], { env: environment });
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu"],
    });
    try {
      const { org, screens } = await findScreens(server.url, token);
      const chosen = screens.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
      const times = new Map(chosen.map(({ name }) => [name, [] as ContentTimes[]]));
      // All screens in turn, so that a busy moment of the machine does not belong to one of them. The first turn warms up.
      for (let turn = 0; turn <= reloads; turn++) {
        for (const { name, path, content } of chosen) {
          const context = await browser.newContext({
            viewport: { width: 1280, height: 800 },
            extraHTTPHeaders: { authorization: `Bearer ${token}` },
          });
          const measured = await measureContent(context, `${server.url}/o/${org}${path}`, content);
          if (turn > 0) times.get(name)?.push(measured);
        }
      }
      return await resultOf(users, reloads, times);
    } finally {
      await browser.close();
      await server.stop();
    }
  });
}

async function resultOf(
  users: number,
  reloads: number,
  times: ReadonlyMap<string, ContentTimes[]>,
): Promise<BenchResult> {
  const scales = new ScriptScales();
  const rows = await Promise.all(
    [...times].map(async ([name, measured]) => {
      const of = (share: number, value: (one: ContentTimes) => number) => percentile(measured.map(value), share);
      const p95 = of(0.95, ({ elapsedMs }) => elapsedMs);
      const kilobytes = (await scales.weigh(measured.at(-1)?.scripts ?? [])) / 1_000;
      return [
        name,
        of(0.5, ({ elapsedMs }) => elapsedMs),
        p95,
        of(0.5, ({ processorMs }) => processorMs),
        of(0.5, ({ requests }) => requests),
        kilobytes,
        goalMark(p95 <= GOALS.contentMs && kilobytes <= GOALS.scriptKilobytes),
      ];
    }),
  );
  return {
    about: `The demo with ${users.toLocaleString("en")} users, ${reloads} hard reloads of each screen in Chromium on the machine of the server. The goals: p95 ${GOALS.contentMs.toLocaleString("en")} ms, scripts ${GOALS.scriptKilobytes} kB`,
    tables: [
      {
        headings: [
          "from a hard reload to the painted content",
          "p50 ms",
          "p95 ms",
          "processor p50 ms",
          "requests p50",
          "scripts, kB gzip",
          "",
        ],
        rows,
      },
    ],
  };
}

const ROW = '[role="row"][aria-rowindex="2"]';

async function findScreens(url: string, token: string): Promise<{ org: string; screens: Screen[] }> {
  const get = async <Answer>(path: string, organization?: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: body ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${token}`,
        ...(organization === undefined ? {} : { "svc-organization": organization }),
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const organizations = await get<{ id: string; namespace: string }[]>("/organizations");
  const demo = organizations.find(({ namespace }) => namespace === "demo");
  if (!demo) throw new Error("There is no demo.");
  const { data } = await get<{ data: { id: string }[] }>("/search/user_reports", demo.id, {
    query: { exists: { field: "last_seen_at" } },
    sort: { last_seen_at: "desc" },
    per_page: 1,
  });
  const segments = await get<{ id: string; stats: { users?: number } }[]>("/users_segments", demo.id);
  const segment = segments.find(({ stats }) => (stats.users ?? 0) > 0);
  const connectors = await get<{ id: string; name: string }[]>("/connectors", demo.id);
  const connector = connectors.find(({ name }) => name === "Old CRM");
  const screens = [
    { name: "Home", path: "", content: '[data-testid="figure-users"]' },
    { name: "Users", path: "/users", content: ROW },
    { name: "Accounts", path: "/accounts", content: ROW },
    { name: "A user", path: `/users/${data[0]?.id}`, content: 'section[aria-label="Timeline"] section' },
    { name: "Segments", path: "/segments", content: ROW },
    { name: "A segment", path: `/segments/${segment?.id}`, content: '[data-testid="segment-sample"] li' },
    { name: "Insights", path: "/insights", content: 'section[aria-label="Result"] canvas' },
    { name: "Events, live", path: "/events", content: '[aria-label="Arriving entries"]' },
    { name: "Events, history", path: "/events?tab=history", content: ROW },
    { name: "Events, names", path: "/events?tab=names", content: ROW },
    { name: "Attributes", path: "/attributes", content: ROW },
    { name: "Connectors", path: "/connectors", content: "main a[href*='/connectors/']" },
    { name: "A connector", path: `/connectors/${connector?.id}`, content: "canvas" },
    { name: "Its settings", path: `/connectors/${connector?.id}?tab=settings`, content: "main form input, main label" },
    {
      name: "Its deliveries",
      path: `/connectors/${connector?.id}?tab=deliveries`,
      content: "main table tr, main [role='row'], main [role='tabpanel'] button",
    },
    { name: "Import & export", path: "/import", content: "input[type='file']" },
    { name: "Platforms", path: "/platforms", content: "main a" },
    { name: "Settings", path: "/settings?tab=audit", content: "main table tbody tr" },
  ];
  return { org: demo.id, screens };
}
