import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import type { Statement } from "./chdb-sessions.js";

/**
 * Settings of the HTTP server, which the engine inside a process does not have. `readonly` would also refuse to change the
 * other settings of the session afterwards.
 */
const SERVER_SETTINGS = new Set([
  "cancel_http_readonly_queries_on_client_close",
  "enable_http_compression",
  "readonly",
  "send_progress_in_http_headers",
  "wait_end_of_query",
]);
/** What a URL says beside settings. Users and roles are not checked, and a request is not part of a session. */
const OTHER_KEYS = new Set(["default_format", "password", "query", "query_id", "role", "session_id", "user"]);
const PARAM = "param_";

/** Reads a statement as ClickHouse takes it over HTTP: in the URL, in the body, in both, or in a form of several parts. */
export async function readStatement(request: IncomingMessage): Promise<Statement> {
  const keys = new URL(request.url ?? "/", "http://localhost").searchParams;
  const isPacked = request.headers["content-encoding"] === "gzip";
  const body = await buffer(isPacked ? request.pipe(createGunzip()) : request);
  const type = request.headers["content-type"] ?? "";
  const form = type.startsWith("multipart/form-data") ? await readForm(body, type) : new Map<string, string>();
  const text = form.size > 0 ? [form.get("query")] : [keys.get("query"), body.toString("utf8")];
  const params = new Map<string, string>();
  const settings = new Map<string, string>();
  for (const [name, value] of [...keys, ...form]) {
    if (name.startsWith(PARAM)) params.set(name.slice(PARAM.length), value);
    else if (name === "database") requireDefault(value);
    else if (!OTHER_KEYS.has(name) && !SERVER_SETTINGS.has(name)) settings.set(name, value);
  }
  const sql = text.filter(Boolean).join("\n");
  return { sql, params, settings, format: keys.get("default_format") ?? "TabSeparated" };
}

async function readForm(body: Buffer, type: string): Promise<Map<string, string>> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  return new Map([...form].map(([name, value]) => [name, String(value)]));
}

function requireDefault(database: string): void {
  if (database === "default") return;
  throw new Error(`Code: 81. DB::Exception: Database ${database} does not exist. (UNKNOWN_DATABASE)`);
}
