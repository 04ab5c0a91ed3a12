import { metricsTable } from "../metrics-table.js";
import { CALL_TABLES } from "./call-tables.js";
import { DATA_TABLES } from "./data-tables.js";
import { IDENTITY_TABLES } from "./identity-tables.js";
import { QUERY_TABLES } from "./query-tables.js";
import { SEGMENT_TABLES } from "./segment-tables.js";

/** The guides that have generated parts, and the parts of each. */
export const GUIDE_TABLES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "query-language": QUERY_TABLES,
  segments: SEGMENT_TABLES,
  identity: IDENTITY_TABLES,
  "attributes-and-events": DATA_TABLES,
  "moving-from-segment": CALL_TABLES,
  "operations/monitoring": { metrics: metricsTable },
};
