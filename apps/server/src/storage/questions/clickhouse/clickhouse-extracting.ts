import { createWriteStream } from "node:fs";
import { copyFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Extracting } from "../extracting.js";
import { countRowsStatement, parquetStatement } from "./ask/extract-parquet.js";
import { clickhouseRanges } from "./ask/extract-ranges.js";
import { csvLinesStatement, jsonLinesStatement } from "./ask/extract-rows.js";
import { clientParams } from "./client/client-params.js";
import type { Statements } from "./client/statements.js";

export function clickhouseExtracting(statements: Statements): Extracting {
  return {
    ...clickhouseRanges(statements),

    jsonLines(organizationId, selection, range, segments) {
      const { sql, params } = jsonLinesStatement({ organizationId, selection, range, segments });
      // A document contains no tab and no newline, so unescaped it is one line.
      return statements.stream(sql, clientParams(params), "TSVRaw");
    },

    csvLines(organizationId, selection, range, segments, columns, { formulas } = { formulas: false }) {
      const { sql, params } = csvLinesStatement({ organizationId, selection, range, segments }, columns, formulas);
      return statements.stream(sql, clientParams(params), "CSV");
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
}

const NOTHING = { after: undefined, until: { id: "0".repeat(24) } };
