import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { fillParts } from "../fill-parts.js";
import { GUIDE_TABLES } from "./guide-tables.js";

const docs = new URL("../../../../../docs/", import.meta.url);

test.each(Object.entries(GUIDE_TABLES))(
  "the generated tables of docs/%s.md are up to date (if not: npm run generate)",
  async (name, parts) => {
    const page = await readFile(new URL(`${name}.md`, docs), "utf8");
    expect(page).toBe(fillParts(page, parts));
  },
);
