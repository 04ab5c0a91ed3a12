import { readFile, writeFile } from "node:fs/promises";
import { errorsPage, settingsPage } from "./docs-pages.js";
import { replaceSection } from "./docs-sections.js";
import { metricsTable } from "./metrics-table.js";

interface GeneratedPage {
  file: string;
  /** Gets the page as it is. */
  render(present: string): string;
}

// `npm run docs:settings` and so on: writes the generated page of that name.
const PAGES: Record<string, GeneratedPage> = {
  settings: { file: "settings.md", render: settingsPage },
  errors: { file: "errors.md", render: errorsPage },
  metrics: {
    file: "operations/monitoring.md",
    render: (present) => replaceSection(present, "metrics", metricsTable()),
  },
};

const [name = ""] = process.argv.slice(2);
const page = PAGES[name];
if (!page) throw new Error(`There is no generated page "${name}": name one of ${Object.keys(PAGES).join(", ")}.`);
const file = new URL(`../../../../docs/${page.file}`, import.meta.url);
await writeFile(file, page.render(await readFile(file, "utf8")));
