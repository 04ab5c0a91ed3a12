import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { buildDashboard } from "./dashboard/build-dashboard.js";
import { measureFirstLoad, measureListPaint } from "./dashboard/measure-loads.js";
import { measureTyping } from "./dashboard/measure-typing.js";
import { type FilledServer, startFilledServer } from "./dataset/start-filled-server.js";
import type { BenchOptions } from "./lib/bench.js";
import { goalMark } from "./lib/goal-mark.js";
import { percentile } from "./lib/percentile.js";
import { renderTable } from "./lib/render-table.js";
import { withDataDir } from "./lib/start-server.js";

const USERS = 1_000_000;
const LOADS = 10;
const KEYS = 60;
const GOALS = { countMs: 150, listMs: 1_000, firstLoadKilobytes: 250 };

/** Measures what people feel in the dashboard: from a key to the painted count, the first paint of a list, what is loaded. */
export async function run({ scale }: BenchOptions): Promise<void> {
  const users = Math.round(USERS * scale);
  await buildDashboard();
  await withDataDir(async (dataDir) => {
    const filled = await startFilledServer(dataDir, {
      users,
      now: Math.floor(Date.now() / 1_000),
      hasEvents: false,
      hasProfiles: true,
    });
    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu"],
    });
    try {
      await measure(filled, browser, token, users);
    } finally {
      await browser.close();
      await filled.server.stop();
    }
  });
}

async function measure({ server, api, org }: FilledServer, browser: Browser, token: string, users: number) {
  const open = (): Promise<BrowserContext> =>
    browser.newContext({
      viewport: { width: 1280, height: 800 },
      extraHTTPHeaders: { authorization: `Bearer ${token}` },
    });
  const address = `${server.url}/o/${org}`;
  const segment = (await (
    await api("POST", "/users_segments", {
      name: "Large customers",
      query: {},
      predicate: {
        type: "all",
        predicates: [
          {
            property: { key: "mrr", type: "numeric", entity: "user" },
            operator: "greater_than",
            options: { value: 5 },
          },
        ],
      },
    })
  ).json()) as { id: string };

  const firstLoad = await measureFirstLoad(await open(), address);
  const lists: number[] = [];
  for (let n = 0; n < LOADS; n++) lists.push(await measureListPaint(await open(), `${address}/users`));
  const counts = await measureTyping(await open(), `${address}/segments/${segment.id}`, KEYS);

  const kilobytes = firstLoad.codeBytes / 1_000;
  console.log(`${users.toLocaleString("en")} users, in Chromium on the machine of the server\n`);
  console.log(
    renderTable(
      ["what", "p50 ms", "p95 ms", "goal ms", ""],
      [
        line("from a key to the painted count of the builder", counts, GOALS.countMs),
        line("first paint of the users list, without any cache", lists, GOALS.listMs),
      ],
    ),
  );
  console.log(
    renderTable(
      ["first load of Home", "kB", "goal kB", ""],
      [
        [
          "scripts and styles, gzip",
          kilobytes,
          GOALS.firstLoadKilobytes,
          goalMark(kilobytes <= GOALS.firstLoadKilobytes),
        ],
        ["fonts", firstLoad.fontBytes / 1_000, "", ""],
      ],
    ),
  );
}

function line(what: string, ms: readonly number[], goal: number) {
  const p95 = percentile([...ms], 0.95);
  return [what, percentile([...ms], 0.5), p95, goal, goalMark(p95 <= goal)];
}
