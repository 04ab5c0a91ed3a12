import { readFile, writeFile } from "node:fs/promises";
import { errorsPage, settingsPage } from "./docs-pages.js";
import { fillParts } from "./fill-parts.js";
import { GUIDE_TABLES } from "./guide-tables/guide-tables.js";

// A part of `npm run generate`: writes the generated pages, and the generated tables into the guides.
await writeFile(page("settings"), settingsPage());
await writeFile(page("errors"), errorsPage());
for (const [name, parts] of Object.entries(GUIDE_TABLES)) {
  await writeFile(page(name), fillParts(await readFile(page(name), "utf8"), parts));
}

function page(name: string): URL {
  return new URL(`../../../../docs/${name}.md`, import.meta.url);
}
