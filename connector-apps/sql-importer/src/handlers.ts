import { ConfigurationError, type Context, type IncomingRequest, type StatusAnswer } from "@muster/connector";
import { importAll } from "./import-all.js";
import { readRows } from "./read-rows.js";
import { readSettings } from "./settings.js";

const PREVIEW_ROWS = 10;

/** Connectors whose import is running. A second import at the same time would read the same rows. */
const running = new Set<string>();

/** Imports the new rows, then stores the last value and the result in the settings. */
export async function run(ctx: Context): Promise<unknown> {
  const { id } = ctx.connector;
  if (running.has(id)) return { skipped: "The last import is still running." };
  running.add(id);
  try {
    const settings = readSettings(ctx.connector);
    const { rows, refused, reason, lastValue } = await importAll(ctx, settings);
    const last_run = { finished_at: new Date().toISOString(), rows, refused, reason: reason ?? null };
    await ctx.helpers.updateSettings({ last_run, ...(lastValue === null ? {} : { last_value: lastValue }) });
    if (refused > 0) {
      const hull_summary = `${refused} of ${rows} rows were refused: ${reason}`;
      ctx.client.logger.error("incoming.import.refused", { rows, refused, hull_summary });
    }
    return last_run;
  } catch (error) {
    const message = (error as Error).message;
    // Logged first: storing the result may fail for the same reason.
    ctx.client.logger.error("incoming.import.error", { hull_summary: `The import failed: ${message}` });
    await ctx.helpers.updateSettings({ last_run: { finished_at: new Date().toISOString(), error: message } });
    throw error;
  } finally {
    running.delete(id);
  }
}

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

export function status({ connector }: Context): StatusAnswer {
  try {
    readSettings(connector);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { status: "setupRequired", messages: [error.message] };
  }
  const last = (connector.private_settings.last_run ?? {}) as { error?: string; refused?: number; reason?: string };
  if (last.error) return { status: "error", messages: [last.error] };
  if (last.refused) return { status: "warning", messages: [`${last.refused} rows were refused: ${last.reason}`] };
  return { status: "ok", messages: [] };
}
