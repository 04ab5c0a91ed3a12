import { BENCHES } from "./benches.js";
import { parseArguments } from "./lib/parse-arguments.js";
import { printResult } from "./lib/print-result.js";

const names = Object.keys(BENCHES);
const { name, ...options } = parseArguments(process.argv.slice(2));
const load = BENCHES[name ?? ""];
if (load) {
  const bench = await load();
  const result = await bench.run(options);
  if (result) printResult(result);
} else {
  console.error(
    `Usage: npm run bench -- NAME [--scale x] [--seconds s] [--minutes m] [--seed n] [--only text]\nNAME is one of: ${names.join(", ")}.`,
  );
  process.exitCode = 1;
}
