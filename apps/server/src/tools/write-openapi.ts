import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { documentOf } from "../http/reference/openapi.js";
import { readConfig } from "../runtime/settings/config.js";
import { openServer } from "../server/open-server.js";

// Writes the OpenAPI document to the file that is named, to compare it before and after a change of contracts.
const [file = ""] = process.argv.slice(2);
if (file === "") throw new Error("Name the file to write.");
const directory = await mkdtemp(join(tmpdir(), "muster-openapi-"));
const server = await openServer(readConfig({ DATA_DIR: directory, PORT: "0" }), pino({ level: "error" }));
await server.app.ready();
await mkdir(dirname(file), { recursive: true });
await writeFile(file, JSON.stringify(documentOf(server.app), null, 2));
await server.close();
await rm(directory, { recursive: true, force: true });
process.exit(0);
