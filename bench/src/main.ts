import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BENCHES } from "./benches.js";
import type { Bench } from "./lib/bench.js";
import type { ResultFile } from "./lib/bench-result.js";
import { type Arguments, parseArguments } from "./lib/parse-arguments.js";
import { printResult } from "./lib/print-result.js";
import { stolenSentence, watchStolenTime } from "./lib/stolen-time.js";

const USAGE = `Usage: npm run bench -- NAME [--scale x] [--seconds s] [--minutes m] [--seed n] [--only text] [--users n] [--out DIR]
NAME is one of: ${Object.keys(BENCHES).join(", ")}.`;

const { name, out, help, ...options } = readArguments();
const load = BENCHES[name ?? ""];
if (help) console.log(USAGE);
else if (load) await runBench(load);
else refuse(name === undefined ? "The name of a benchmark is missing." : `There is no benchmark "${name}".`);

function readArguments(): Arguments {
  try {
    return parseArguments(process.argv.slice(2));
  } catch (error) {
    refuse((error as Error).message);
  }
}

function refuse(problem: string): never {
  console.error(`${problem}\n${USAGE}`);
  process.exit(1);
}

async function runBench(load: () => Promise<Bench>): Promise<void> {
  const bench = await load();
  const stolenPercent = watchStolenTime();
  const result = await bench.run(options);
  if (result) printResult(result);
  const stolen = stolenPercent();
  if (stolen !== undefined) console.log(stolenSentence(stolen));
  for (const file of result?.files ?? []) console.log(`Written: ${keep(file)}`);
}

/** Writes a file of a result, and returns where it is. */
function keep({ name, text }: ResultFile): string {
  const path = join(out ?? tmpdir(), name);
  writeFileSync(path, text);
  return path;
}
