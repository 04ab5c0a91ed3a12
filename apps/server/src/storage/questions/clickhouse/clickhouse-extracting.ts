import type { Extracting } from "../extracting.js";
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
  };
}
