import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { errorsPage, settingsPage } from "./docs-pages.js";

const docs = new URL("../../../../docs/", import.meta.url);

test("docs/settings.md is up to date (if not: npm run generate)", async () => {
  expect(await readFile(new URL("settings.md", docs), "utf8")).toBe(settingsPage());
});

test("docs/errors.md is up to date (if not: npm run generate)", async () => {
  expect(await readFile(new URL("errors.md", docs), "utf8")).toBe(errorsPage());
});
