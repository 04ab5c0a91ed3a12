import { writeFile } from "node:fs/promises";
import { errorsPage, settingsPage } from "./docs-pages.js";

// `npm run docs:settings` and `npm run docs:errors`: writes the generated page of that name.
const PAGES: Record<string, () => string> = { settings: settingsPage, errors: errorsPage };

const [name = ""] = process.argv.slice(2);
const render = PAGES[name];
if (!render) throw new Error(`There is no generated page "${name}": name one of ${Object.keys(PAGES).join(", ")}.`);
await writeFile(new URL(`../../../../docs/${name}.md`, import.meta.url), render());
