import { setFlagsFromString } from "node:v8";
import { readEnvironment } from "@muster/server/environment";
import { createOutput } from "./output/output.js";
import { run } from "./run.js";

const { stdin, stdout, stderr } = process;

// After a few requests, V8 would compile the parser of `fetch`, which is WebAssembly, a second time to make it faster. That takes a
// third of the time of most commands, and no command receives enough to gain from it.
setFlagsFromString("--wasm-tiering-budget=2000000000");

// `muster search … | head` closes the output early. That is no error.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(1);
});

process.exitCode = await run(process.argv.slice(2), {
  ...createOutput(stdout, stderr),
  environment: readEnvironment(),
  stdin,
  stdout,
  stderr,
  signal: new AbortController().signal,
});
