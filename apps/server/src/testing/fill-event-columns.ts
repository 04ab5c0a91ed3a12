import { setTimeout } from "node:timers/promises";
import { parse } from "@muster/query";
import { openFolder } from "../storage/questions/contract/open-engine.js";
import { COLUMN_RULES } from "../storage/questions/duckdb/layout/event-layout.js";

// Opens the question engine in a folder, asks about a property of events, and prints how far its columns are filled, line by
// line. A test kills this process meanwhile.
const [folder = "", organizationId = "", key = ""] = process.argv.slice(2);
const questions = await openFolder(folder, { ...COLUMN_RULES, leastEvents: 0, uses: 1, apartMs: 0, pageRows: 16 });
const attributeTypes = { typeOf: () => undefined };
const query = parse({ exists: { field: key } }, { target: "event" });
await questions.count(organizationId, { target: "event", query, attributeTypes, now: new Date() });
for (let last = ""; ; await setTimeout(1)) {
  const columns = await questions.eventColumns();
  const line = columns.map(({ state, filled }) => `${state} ${filled}`).join(", ");
  if (line !== last) console.log(line);
  last = line;
}
