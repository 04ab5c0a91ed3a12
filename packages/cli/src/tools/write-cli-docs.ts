import { writeFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { commandsPage } from "../documentation/commands-page.js";
import { createOutput } from "../output/output.js";
import { createProgram } from "../program.js";

// A part of `npm run generate`: writes docs/cli.md.
const stream = new PassThrough();
const program = createProgram({
  ...createOutput(stream, stream),
  environment: {},
  stdin: stream,
  stdout: stream,
  stderr: stream,
  signal: new AbortController().signal,
});
await writeFile(new URL("../../../../docs/cli.md", import.meta.url), commandsPage(program));
