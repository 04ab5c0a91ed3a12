import { setTimeout } from "node:timers/promises";
import { openFolder, TIMES_AT_ONCE } from "../storage/questions/contract/open-engine.js";

// Opens the question engine in a folder, and prints how many rows of events have no entries among the times yet, line by line. A test
// kills this process meanwhile.
const [folder = "", organizationId = ""] = process.argv.slice(2);
const questions = await openFolder(folder, undefined, { ...TIMES_AT_ONCE, runEntries: 400, pageRows: 300 });
await questions.progress(organizationId);
for (let last = ""; ; await setTimeout(1)) {
  const [times] = await questions.eventTimes();
  const line = `unread ${times?.unread}`;
  if (times && line !== last) console.log(line);
  last = line;
}
