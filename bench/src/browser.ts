import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { type Bundle, readBundles } from "./browser/bundles.js";
import type { BenchOptions } from "./lib/bench.js";
import { percentile } from "./lib/percentile.js";
import { renderTable } from "./lib/render-table.js";

const ROUNDS = 25;
const GOAL_BYTES = 12_000;

/** Measures what the browser library costs a page, beside others: its size, and the time until it has run. */
export async function run({ scale }: BenchOptions): Promise<void> {
  const bundles = await readBundles();
  const rounds = Math.max(3, Math.round(ROUNDS * scale));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const times = new Map<string, number[]>(bundles.map(({ name }) => [name, []]));
  // The libraries take turns, so that other work of the machine affects all of them.
  for (let round = 0; round < rounds; round += 1) {
    for (const bundle of bundles) times.get(bundle.name)?.push(await runOnce(browser, bundle));
  }
  await browser.close();
  const rows = bundles.map(({ name, code }) => {
    const measured = times.get(name) ?? [];
    return [
      name,
      code.length,
      gzipSync(code, { level: 9 }).length,
      percentile(measured, 0.5),
      percentile(measured, 0.95),
    ];
  });
  console.log(`In Chromium, without any cache, ${rounds} rounds. The goal is at most ${GOAL_BYTES} bytes of gzip.\n`);
  console.log(renderTable(["library", "bytes", "gzip bytes", "parse + run p50 ms", "p95 ms"], rows));
}

/** The milliseconds that a new page is busy with parsing and running a script. */
async function runOnce(browser: Browser, { code }: Bundle): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.setContent("<!doctype html><title>page</title>");
  const ms = await page.evaluate<number>(`(() => {
    const script = document.createElement("script");
    script.textContent = ${JSON.stringify(code)};
    const startedAt = performance.now();
    document.head.append(script);
    return performance.now() - startedAt;
  })()`);
  await context.close();
  return ms;
}
