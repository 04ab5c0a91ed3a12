import { canTest } from "../../../../testing/can-test.js";
import { ENGINE } from "../storage/questions/contract/open-engine.js";

/** Whether tests run on ClickHouse. When they do not, the reason is written once for each file that asks. */
export const isClickhouse = canTest(
  ENGINE === "clickhouse",
  "Tests that need ClickHouse do not run in this file. To run them on linux-x64: npm run test:clickhouse.",
);
