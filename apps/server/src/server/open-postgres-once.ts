import { join } from "node:path";
import type { Config } from "../runtime/settings/config.js";
import { type OpenedPostgres, openPostgres } from "../storage/postgres/open-postgres.js";

/**
 * Opens PostgreSQL for a program that does one thing and ends. It logs nothing by itself: the failing statement throws the
 * error.
 */
export function openPostgresOnce(
  { dataDir }: Pick<Config, "dataDir">,
  url: string | undefined,
): Promise<OpenedPostgres> {
  return openPostgres({
    url,
    dataDir: join(dataDir, "postgres"),
    slowQueryMs: Number.POSITIVE_INFINITY,
    onSlowQuery: () => {},
    onError: () => {},
    onLog: () => {},
    onProblem: () => {},
  });
}
