import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { errorsPage, settingsPage } from "./docs-pages.js";
import { replaceSection } from "./docs-sections.js";
import { metricsTable } from "./metrics-table.js";

const docs = new URL("../../../../docs/", import.meta.url);

test("docs/settings.md is up to date (if not: npm run docs:settings)", async () => {
  expect(await readFile(new URL("settings.md", docs), "utf8")).toBe(settingsPage());
});

test("docs/errors.md is up to date (if not: npm run docs:errors)", async () => {
  expect(await readFile(new URL("errors.md", docs), "utf8")).toBe(errorsPage());
});

test("the table of metrics in docs/operations/monitoring.md is up to date (if not: npm run docs:metrics)", async () => {
  const page = await readFile(new URL("operations/monitoring.md", docs), "utf8");
  expect(page).toBe(replaceSection(page, "metrics", metricsTable()));
});
