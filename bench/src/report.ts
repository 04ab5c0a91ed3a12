import { mkdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { BENCHES } from "./benches.js";
import { printResult } from "./lib/print-result.js";
import { secondsSince } from "./lib/seconds-since.js";
import { watchStolenTime } from "./lib/stolen-time.js";
import { drawChart } from "./report/draw-chart.js";
import { describeMachine } from "./report/machine.js";
import { PLAN, type PlannedRun } from "./report/plan.js";
import { renderPage } from "./report/render-page.js";
import { type MeasuredRun, type Results, readResults, writeResults } from "./report/results.js";

// npm run report -- [--scale x] [--only ingest,soak] [--minutes m] [--out DIR] [--render]

const { values } = parseArgs({
  options: {
    // Multiplies the amount of work of every run.
    scale: { type: "string", default: "1" },
    only: { type: "string" },
    // How long the soak takes.
    minutes: { type: "string" },
    // The folder of the page.
    out: { type: "string", default: "docs" },
    render: { type: "boolean", default: false },
  },
});

const folder = `${values.out}/performance`;
const resultsFile = `${folder}/results.json`;
const chosen = choose(values.only?.split(","));
const results = await readResults(resultsFile);
if (!values.render) {
  for (const planned of chosen) {
    const startedAt = performance.now();
    console.log(`\n== ${planned.title}`);
    results[planned.key] = await measure(planned);
    console.log(`${secondsSince(startedAt).toFixed(0)} seconds`);
    // After each run, so that a run that fails does not lose those before it.
    await writeResults(resultsFile, results);
  }
}
// What was written is what the page shows: the file has fewer digits.
await writePage(values.render ? results : await readResults(resultsFile));

function choose(keys: string[] | undefined): readonly PlannedRun[] {
  const unknown = keys?.filter((key) => !PLAN.some((planned) => planned.key === key)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`--only has ${unknown.join()}; there is: ${PLAN.map(({ key }) => key).join(", ")}.`);
  }
  return keys ? PLAN.filter(({ key }) => keys.includes(key)) : PLAN;
}

async function measure({ bench, options }: PlannedRun): Promise<MeasuredRun> {
  const scale = options.scale * positive(values.scale);
  const minutes = options.minutes === undefined ? undefined : positive(values.minutes ?? String(options.minutes));
  const { run } = (await BENCHES[bench]?.()) ?? {};
  const readStolen = watchStolenTime();
  const result = await run?.({ scale, minutes, seconds: undefined, seed: undefined, only: undefined });
  if (!result) throw new Error(`The benchmark ${bench} returns no result.`);
  const stolenPercent = readStolen();
  const { files = [], ...measured } = result;
  printResult(measured);
  await mkdir(folder, { recursive: true });
  for (const { name, text } of files) await writeFile(`${folder}/${name}`, text);
  const date = new Date().toISOString();
  return {
    date,
    machine: describeMachine(),
    scale,
    ...(minutes === undefined ? {} : { minutes }),
    ...(stolenPercent === undefined ? {} : { stolenPercent }),
    result: measured,
  };
}

async function writePage(all: Results): Promise<void> {
  const { markdown, charts } = renderPage(all);
  await mkdir(folder, { recursive: true });
  for (const chart of charts) await writeFile(`${folder}/${chart.name}.svg`, drawChart(chart));
  await writeFile(`${values.out}/performance.md`, markdown);
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${JSON.stringify(text)} must be a number above 0.`);
  return number;
}
