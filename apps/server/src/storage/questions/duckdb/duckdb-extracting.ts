import { randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Statement } from "@muster/query";
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
import type { OrganizationFile } from "./engine/organization-file.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

// One statement reads one range. The rows, their segments and their accounts are collected in memory first.
const ROWS_PER_RANGE = 50_000;
// The time to plan a statement grows with the square of its columns: 0.3 s for 300.
const WIDE_COLUMNS = 200;
const PIECE_BYTES = 1024 * 1024;
const NOTHING = { after: undefined, until: { id: "" } };

/**
 * Rows are extracted in the order of their ids, which start with their creation time. The engine writes the lines of a
 * range to a file of its own in `folder`, because a value for each row would cost more in JavaScript than the rest.
 */
export function duckdbExtracting(engine: Engine, files: OrganizationFiles, folder: string): Extracting {
  return {
    lastKey: (organizationId, target) =>
      files.use(organizationId, async ({ dialect }) => {
        const sql = `select max(id) as id from ${dialect.table(target)}`;
        const [row] = await engine.rows<{ id: string | null }>({ sql, params: {} });
        return row?.id ? { id: row.id } : undefined;
      }),

    nextRange: (organizationId, target, after, until) =>
      files.use(organizationId, async ({ dialect }) => {
        if (after && idOf(after) === idOf(until)) return undefined;
        const [row] = await engine.rows<{ id: string }>({
          sql: `select id from ${dialect.table(target)} where ${IN_RANGE} order by id limit 1 offset ${ROWS_PER_RANGE - 1}`,
          params: rangeParams({ after, until }),
        });
        return { after, until: row ? { id: row.id } : until };
      }),

    jsonLines: (organizationId, selection, range, segments) =>
      stream(organizationId, (file, path) => copyJsonLines({ file, selection, range, segments }, path)),

    csvLines: (organizationId, selection, range, segments, columns, { formulas } = { formulas: false }) =>
      stream(organizationId, (file, path) => {
        const copyLines = columns.length > WIDE_COLUMNS ? copyWideCsvLines : copyCsvLines;
        return copyLines({ file, selection, range, segments }, columns, formulas, path);
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

  /** Lets the engine write a file, and returns what is in it. */
  async function* stream(
    organizationId: string,
    build: (file: OrganizationFile, path: string) => Statement,
  ): AsyncGenerator<Uint8Array> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, randomUUID());
    try {
      await files.use(organizationId, (file) => engine.copy(build(file, path)));
      yield* readPieces(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}

async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (;;) {
      // Each piece has a buffer of its own, which can be given to another thread.
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      yield bytesRead === PIECE_BYTES ? piece : Buffer.from(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
