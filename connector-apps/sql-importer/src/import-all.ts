import { ClientError } from "@muster/client";
import { type Context, TransientError } from "@muster/connector";
import { importRow } from "./import-row.js";
import { readRows } from "./read-rows.js";
import type { Row } from "./row-query.js";
import type { Settings } from "./settings.js";

export interface ImportResult {
  rows: number;
  refused: number;
  /** Why the first of them was refused. */
  reason: string | undefined;
  /** The highest value of the incremental column, of this run and those before. */
  lastValue: string | null;
}

/** Imports all rows of the query. Rejects, having kept no place, when the database or the platform fails on the way. */
export async function importAll({ client }: Pick<Context, "client">, settings: Settings): Promise<ImportResult> {
  const result: ImportResult = { rows: 0, refused: 0, reason: undefined, lastValue: settings.lastValue };
  for await (const rows of readRows(settings)) {
    const outcomes = await Promise.allSettled(rows.map((row) => importRow(client, settings, row)));
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      if (!isVerdict(outcome.reason)) {
        throw new TransientError("Muster cannot take the rows for now.", { cause: outcome.reason });
      }
      result.refused += 1;
      result.reason ??= (outcome.reason as Error).message;
    }
    result.rows += rows.length;
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

/** Numbers by size; times and other text by their letters, which for times in UTC is the order of time. */
function isHigher(value: string, than: string): boolean {
  const numbers = [Number(value), Number(than)];
  const [left = 0, right = 0] = numbers;
  return numbers.some(Number.isNaN) ? value > than : left > right;
}
