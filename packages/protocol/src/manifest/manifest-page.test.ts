import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { MAX_PATTERN_LENGTH } from "./check-options.js";
import { MANIFEST_CHANNELS } from "./check-references.js";
import { CONNECTOR_STATUSES, CONNECTOR_TAGS, Manifest } from "./manifest.js";
import {
  Confirmation,
  FORM_FORMATS,
  SETTING_FORMATS,
  SETTING_OPTIONS,
  SETTING_TYPES,
  SettingEntry,
} from "./setting-entry.js";

const page = await readFile(new URL("../../../../docs/manifest.md", import.meta.url), "utf8");

/** The part of the page below a heading, up to the next heading. */
function section(heading: string): string {
  const [, text = ""] = page.split(new RegExp(`^#+ ${heading}$`, "m"));
  return text.split(/^#/m)[0] ?? "";
}

/** The names in the first column of a section's table. */
function firstColumn(heading: string): string[] {
  return [...section(heading).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}

test.each([
  ["Fields", Object.keys(Manifest.properties)],
  ["Tags", CONNECTOR_TAGS],
  ["Settings", Object.keys(SettingEntry.properties)],
  ["Formats", SETTING_FORMATS],
  ["Options", SETTING_OPTIONS],
])("the table %s of docs/manifest.md lists what the code knows, and nothing else", (heading, known) => {
  expect(firstColumn(heading).sort()).toEqual([...known].sort());
});

test.each([
  ["Settings", SETTING_TYPES],
  ["Formats", FORM_FORMATS],
  ["Subscriptions", MANIFEST_CHANNELS],
  ["Schedules and statuses", CONNECTOR_STATUSES],
  ["Options", Object.keys(Confirmation.properties)],
])("the section %s of docs/manifest.md names every value", (heading, values) => {
  const text = section(heading);
  expect(values.filter((value) => !text.includes(`\`${value}\``))).toEqual([]);
});

test("docs/manifest.md gives the longest pattern", () => {
  expect(section("Options")).toContain(`at most ${MAX_PATTERN_LENGTH} characters`);
});
