import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { parseArgs } from "node:util";
import { ChdbSessions } from "./chdb-sessions.js";
import { readStatement } from "./read-statement.js";

// A ClickHouse server for tests: the HTTP interface as far as our client uses it, over a ClickHouse inside this process.
// Several processes can use it at the same time. The data survives kill -9.

const SESSIONS = 8;

const { values } = parseArgs({
  options: { chdb: { type: "string" }, data: { type: "string" }, port: { type: "string" } },
});
const { chdb: folder, data: path, port } = values;
if (folder === undefined || path === undefined || port === undefined) {
  throw new Error("Needs --chdb (where chdb is installed), --data (a folder) and --port.");
}

const sessions = new ChdbSessions({ folder, path, count: SESSIONS });
const server = createServer((request, response) => void answer(request, response));
// As those of a ClickHouse server, connections stay open for longer than its clients keep them.
server.keepAliveTimeout = 30_000;
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
process.once("SIGTERM", () => {
  server.close(() => {
    sessions.close();
    process.exit(0);
  });
  server.closeIdleConnections();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/ping") {
    response.end("Ok.\n");
    return;
  }
  try {
    const statement = await readStatement(request);
    response.end(await sessions.run(statement));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const code = /^Code: (\d+)/.exec(text)?.[1];
    // A server has a status for some codes. The client reads the code alone.
    response.writeHead(500, code === undefined ? {} : { "x-clickhouse-exception-code": code });
    response.end(code === undefined ? `Code: 1001. DB::Exception: ${text} (STD_EXCEPTION)` : text);
  }
}
