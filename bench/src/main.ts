import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BENCHES } from "./benches.js";
import type { ResultFile } from "./lib/bench-result.js";
import { parseArguments } from "./lib/parse-arguments.js";
import { printResult } from "./lib/print-result.js";
import { stolenSentence, watchStolenTime } from "./lib/stolen-time.js";

const names = Object.keys(BENCHES);
const { name, out, ...options } = parseArguments(process.argv.slice(2));
const load = BENCHES[name ?? ""];
if (load) {
  const bench = await load();
  const stolenPercent = watchStolenTime();
  const result = await bench.run(options);
  if (result) printResult(result);
  const stolen = stolenPercent();
  if (stolen !== undefined) console.log(stolenSentence(stolen));
  for (const file of (result?.files ?? []).map(keep)) console.log(`Written: ${file}`);
} else {
  console.error(
    `Usage: npm run bench -- NAME [--scale x] [--seconds s] [--minutes m] [--seed n] [--only text] [--out DIR]\nNAME is one of: ${names.join(", ")}.`,
  );
  process.exitCode = 1;
}

/** Writes a file of a result, and returns where it is. */
function keep({ name, text }: ResultFile): string {
  const path = join(out ?? tmpdir(), name);
  writeFileSync(path, text);
  return path;
}
