import { ConfigurationError, type Context, type IncomingRequest, type StatusAnswer } from "@muster/connector";
import { runningImport } from "./imports.js";
import { readRows } from "./read-rows.js";
import { readSettings } from "./settings.js";

const PREVIEW_ROWS = 10;

/** Returns the first rows of the given query, or of the one in the settings. Imports nothing. */
export async function preview(ctx: Context, { body }: IncomingRequest): Promise<unknown> {
  const { query } = body as { query?: unknown };
  const settings = readSettings({
    ...ctx.connector,
    private_settings: { ...ctx.connector.private_settings, ...(typeof query === "string" ? { query } : {}) },
  });
  for await (const rows of readRows({ ...settings, lastValue: null })) {
    const shown = rows.slice(0, PREVIEW_ROWS);
    return { columns: Object.keys(shown[0] ?? {}), rows: shown };
  }
  return { columns: [], rows: [] };
}

export function status(ctx: Context): StatusAnswer {
  const { connector } = ctx;
  try {
    readSettings(connector);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // The query is entered after the database was accepted: until then its section of the form is closed.
    const hasDatabase = Boolean(connector.private_settings.connection_string);
    return { status: hasDatabase ? "warning" : "setupRequired", messages: [error.message] };
  }
  const progress = runningImport(ctx);
  const running = progress
    ? [`An import is running since ${progress.startedAt.toISOString()}: ${progress.rows} rows so far.`]
    : [];
  const last = (connector.private_settings.last_run ?? {}) as { error?: string; refused?: number; reason?: string };
  if (last.error) return { status: "error", messages: [last.error, ...running] };
  if (last.refused) {
    return { status: "warning", messages: [`${last.refused} rows were refused: ${last.reason}`, ...running] };
  }
  return { status: "ok", messages: running };
}
