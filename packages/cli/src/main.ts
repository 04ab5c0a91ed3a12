import { reasonOf } from "@muster/protocol";
import { readEnvironment } from "@muster/server/environment";
import { createProgram } from "./program.js";

const program = createProgram({
  environment: readEnvironment(),
  print: (text) => process.stdout.write(`${text}\n`),
  warn: (text) => process.stderr.write(`${text}\n`),
  progress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}`);
  },
});

try {
  await program.parseAsync();
} catch (error) {
  // A person can act on the message of every error; a stack trace would hide it.
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}
