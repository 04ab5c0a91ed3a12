import type { Context } from "@muster/connector";
import { importAll } from "./import-all.js";
import { readSettings } from "./settings.js";

/** How far a running import has come. */
export interface ImportProgress {
  startedAt: Date;
  rows: number;
}

// A job that has not started for so long was lost, or is in another process: the next schedule may queue one again.
const QUEUED_MS = 3_600_000;
const LOG_EVERY_ROWS = 10_000;

/** The name of the job in the queue. */
export const IMPORT_JOB = "import";

const queuedAt = new Map<string, number>();
const running = new Map<string, ImportProgress>();

/** Queues an import, unless one of the connector waits or runs: a second one would read the same rows. */
export async function queueImport(ctx: Context): Promise<unknown> {
  const key = keyOf(ctx);
  const isQueued = Date.now() - (queuedAt.get(key) ?? Number.NEGATIVE_INFINITY) < QUEUED_MS;
  if (isQueued || running.has(key)) return { skipped: "The last import is still running." };
  queuedAt.set(key, Date.now());
  try {
    await ctx.enqueue(IMPORT_JOB, {});
  } catch (error) {
    queuedAt.delete(key);
    throw error;
  }
  return { queued: true };
}

/**
 * Imports the new rows, then stores the last value and the result in the settings. A failure is stored and logged, and the
 * next schedule tries again. Rejects only when the result cannot be stored, and the queue then runs the job again.
 */
export async function runImport(ctx: Context): Promise<void> {
  const key = keyOf(ctx);
  queuedAt.delete(key);
  if (running.has(key)) return;
  const progress = { startedAt: new Date(), rows: 0 };
  running.set(key, progress);
  try {
    ctx.client.logger.info("incoming.import.start", {});
    await ctx.helpers.updateSettings(await importRows(ctx, progress));
  } finally {
    running.delete(key);
  }
}

/** The connector's import that runs in this process. */
export function runningImport(ctx: Context): ImportProgress | undefined {
  return running.get(keyOf(ctx));
}

/** Imports the rows. Returns the settings that tell how it ended. */
async function importRows(ctx: Context, progress: ImportProgress): Promise<Record<string, unknown>> {
  const { logger } = ctx.client;
  try {
    const { rows, refused, reason, lastValue } = await importAll(ctx, readSettings(ctx.connector), (soFar) => {
      if (Math.floor(soFar / LOG_EVERY_ROWS) > Math.floor(progress.rows / LOG_EVERY_ROWS)) {
        logger.info("incoming.import.progress", { rows: soFar });
      }
      progress.rows = soFar;
    });
    if (refused > 0) {
      const hull_summary = `${refused} of ${rows} rows were refused: ${reason}`;
      logger.error("incoming.import.refused", { rows, refused, hull_summary });
    } else logger.info("incoming.import.success", { rows });
    const last_run = { finished_at: new Date().toISOString(), rows, refused, reason: reason ?? null };
    return { last_run, ...(lastValue === null ? {} : { last_value: lastValue }) };
  } catch (error) {
    const { message } = error as Error;
    logger.error("incoming.import.error", { rows: progress.rows, hull_summary: `The import failed: ${message}` });
    return { last_run: { finished_at: new Date().toISOString(), error: message } };
  }
}

/** Connectors of two platforms may have the same id. */
function keyOf({ client }: Context): string {
  const { organization, id } = client.configuration();
  return `${organization} ${id}`;
}
