import type { Extracting } from "../extracting.js";
import {
  copyCsvLines,
  copyJsonLines,
  copyParquet,
  copyParquetFiles,
  IN_RANGE,
  idOf,
  rangeParams,
} from "./ask/extract-rows.js";
import { copyWideCsvLines } from "./ask/extract-wide-csv.js";
import type { Engine } from "./engine/engine.js";
import { asUnavailable } from "./engine/engine-errors.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

// One statement reads one range. The rows, their segments and their accounts are collected in memory first.
const ROWS_PER_RANGE = 50_000;
// The time to plan a statement grows with the square of its columns: 0.3 s for 300.
const WIDE_COLUMNS = 200;
const NOTHING = { after: undefined, until: { id: "" } };

/** Rows are extracted in the order of their ids, which start with their creation time. */
export function duckdbExtracting(engine: Engine, files: OrganizationFiles): Extracting {
  return {
    lastKey: (organizationId, target) =>
      files.use(organizationId, async (file) => {
        const sql = `select max(id) as id from ${file.dialect.table(target)}`;
        const [row] = await file.rows<{ id: string | null }>({ sql, params: {} });
        return row?.id ? { id: row.id } : undefined;
      }),

    nextRange: (organizationId, target, after, until) =>
      files.use(organizationId, async (file) => {
        if (after && idOf(after) === idOf(until)) return undefined;
        const [row] = await file.rows<{ id: string }>({
          sql: `select id from ${file.dialect.table(target)} where ${IN_RANGE} order by id limit 1 offset ${ROWS_PER_RANGE - 1}`,
          params: rangeParams({ after, until }),
        });
        return { after, until: row ? { id: row.id } : until };
      }),

    writeJsonLines: (organizationId, selection, range, segments, path) =>
      files.use(organizationId, (file) => engine.copy(copyJsonLines({ file, selection, range, segments }, path))),

    writeCsvLines: (organizationId, selection, range, segments, columns, path, { formulas } = { formulas: false }) =>
      files.use(organizationId, (file) => {
        const copyLines = columns.length > WIDE_COLUMNS ? copyWideCsvLines : copyCsvLines;
        return engine.copy(copyLines({ file, selection, range, segments }, columns, formulas, path));
      }),

    writeParquet: (organizationId, selection, range = NOTHING, segments, columns, path) =>
      files.use(organizationId, (file) =>
        engine.copy(copyParquet({ file, selection, range, segments }, columns, path)),
      ),

    async joinParquet(parts, path) {
      try {
        await engine.copy(copyParquetFiles(parts, path));
      } catch (error) {
        throw asUnavailable(error);
      }
    },
  };
}
