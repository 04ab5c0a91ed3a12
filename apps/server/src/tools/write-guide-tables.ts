import { readFile, writeFile } from "node:fs/promises";
import { fillParts } from "./fill-parts.js";
import { GUIDE_TABLES } from "./guide-tables/guide-tables.js";

// `npm run docs:tables`: writes the generated tables into the guides.
for (const [name, parts] of Object.entries(GUIDE_TABLES)) {
  const file = new URL(`../../../../docs/${name}.md`, import.meta.url);
  await writeFile(file, fillParts(await readFile(file, "utf8"), parts));
}
