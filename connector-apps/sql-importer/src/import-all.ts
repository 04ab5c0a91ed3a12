import { ClientError } from "@muster/client";
import { type Context, TransientError } from "@muster/connector";
import { importRow } from "./import-row.js";
import { readRows } from "./read-rows.js";
import type { Row } from "./row-query.js";
import type { Settings } from "./settings.js";

export interface ImportResult {
  rows: number;
  refused: number;
  /** Why the first refused row was refused. */
  reason: string | undefined;
  /** The highest value of the incremental column, in this run and the earlier ones. */
  lastValue: string | null;
}

/**
 * Imports all rows of the query, and tells `onProgress` how many there were so far. Rejects when the database or Muster
 * fails; nothing is stored about the run then.
 */
export async function importAll(
  { client }: Pick<Context, "client">,
  settings: Settings,
  onProgress: (rows: number) => void,
): Promise<ImportResult> {
  const result: ImportResult = { rows: 0, refused: 0, reason: undefined, lastValue: settings.lastValue };
  for await (const rows of readRows(settings)) {
    const outcomes = await Promise.allSettled(rows.map((row) => importRow(client, settings, row)));
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      if (!isVerdict(outcome.reason)) {
        throw new TransientError("Muster cannot accept the rows at the moment.", { cause: outcome.reason });
      }
      result.refused += 1;
      result.reason ??= (outcome.reason as Error).message;
    }
    result.rows += rows.length;
    onProgress(result.rows);
    result.lastValue = highest(result.lastValue, rows, settings.incrementalColumn);
  }
  return result;
}

const OUTAGES = new Set(["timeout", "connection_failed", "queue_full", "unexpected_answer"]);

function isVerdict(error: unknown): boolean {
  return error instanceof ClientError && !OUTAGES.has(error.code) && (error.status ?? 400) < 500;
}

function highest(known: string | null, rows: readonly Row[], column: string | undefined): string | null {
  if (column === undefined) return known;
  return rows.reduce<string | null>((best, row) => {
    const value = row[column];
    if (value === null || value === undefined) return best;
    return best === null || isHigher(String(value), best) ? String(value) : best;
  }, known);
}

/** Compares numbers by size and text by its characters. Times in UTC have the same order as their text. */
function isHigher(value: string, than: string): boolean {
  const numbers = [Number(value), Number(than)];
  const [left = 0, right = 0] = numbers;
  return numbers.some(Number.isNaN) ? value > than : left > right;
}
