import { createWriteStream } from "node:fs";
import { copyFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Statement } from "@muster/query";
import type { Extracting } from "../extracting.js";
import { countRowsStatement, parquetStatement } from "./ask/extract-parquet.js";
import { clickhouseRanges } from "./ask/extract-ranges.js";
import { csvLinesStatement, jsonLinesStatement } from "./ask/extract-rows.js";
import { clientParams } from "./client/client-params.js";
import type { Statements } from "./client/statements.js";
import { LineCounter } from "./line-counter.js";

export function clickhouseExtracting(statements: Statements): Extracting {
  return {
    ...clickhouseRanges(statements),

    writeJsonLines(organizationId, selection, range, segments, path) {
      const statement = jsonLinesStatement({ organizationId, selection, range, segments });
      // A document contains no tab and no newline, so unescaped it is one line.
      return writeLines(statement, "TSVRaw", path);
    },

    writeCsvLines(organizationId, selection, range, segments, columns, path, { formulas } = { formulas: false }) {
      const source = { organizationId, selection, range, segments };
      return writeLines(csvLinesStatement(source, columns, formulas), "CSV", path);
    },

    async writeParquet(organizationId, selection, range, segments, columns, path) {
      const source = { organizationId, selection, range: range ?? NOTHING, segments };
      const { sql, params } = parquetStatement(source, columns, range !== undefined);
      await pipeline(statements.stream(sql, clientParams(params), "Parquet"), createWriteStream(path, { mode: 0o600 }));
      if (!range) return 0;
      const [row] = await statements.ask<{ count: string | number }>(countRowsStatement(source));
      return Number(row?.count ?? 0);
    },

    async joinParquet([only, ...others], path) {
      if (only === undefined || others.length > 0) throw new Error("ClickHouse writes one file of Parquet.");
      await copyFile(only, path);
    },
  };

  async function writeLines({ sql, params }: Statement, format: "TSVRaw" | "CSV", path: string): Promise<number> {
    const lines = new LineCounter({ isCsv: format === "CSV" });
    const passing = lines.pass(statements.stream(sql, clientParams(params), format));
    await pipeline(passing, createWriteStream(path, { mode: 0o600 }));
    return lines.count;
  }
}

const NOTHING = { after: undefined, until: { id: "0".repeat(24) } };
