import { readFileSync } from "node:fs";
import {
  AGGREGATION_OPTIONS,
  CLAUSE_OPTIONS,
  EVENT_OPERATORS,
  EXACT_SUFFIXES,
  GROUP_TYPES,
  type KnownOptions,
} from "@muster/query";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../../../../docs/query-language.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/^```(?:sh|json query|json predicate)\n([\s\S]*?)^```/gm)].map(([, text]) => text);
const sections = new Map(
  page.split(/^#{2,4} /m).map((section) => {
    const end = section.indexOf("\n");
    return [section.slice(0, end), section.slice(end)];
  }),
);

/** The options that a text names, in inline code or as a key of an example. */
const names = (text: string, option: string) => new RegExp(`["\`]${option}["\`]`).test(text);

test.each(Object.entries<KnownOptions>(CLAUSE_OPTIONS))(
  "%s has a section with its options and an example",
  (name, { options }) => {
    const section = sections.get(`\`${name}\``);
    expect(section).toContain(`{"${name}": `);
    expect(options.filter((option) => !names(section ?? "", option))).toEqual([]);
  },
);

const METRICS = ["cardinality", "stats", "sum", "avg", "min", "max"];

test.each(Object.entries<KnownOptions>(AGGREGATION_OPTIONS))(
  "the aggregation %s is described with its options, and has an example",
  (name, { options }) => {
    const section = sections.get(METRICS.includes(name) ? "Metrics" : `\`${name}\` aggregation`) ?? "";
    expect(options.filter((option) => !names(section, option) && option !== "field")).toEqual([]);
    expect(examples.some((text) => text?.includes(`{"${name}": {`))).toBe(true);
  },
);

test("the predicate form lists every type of group and every operator of events", () => {
  const section = sections.get("The predicate form") ?? "";
  expect([...GROUP_TYPES, ...EVENT_OPERATORS].filter((word) => !names(section, word))).toEqual([]);
});

test("the fields list every ending that means the exact value", () => {
  expect(EXACT_SUFFIXES.filter((suffix) => !sections.get("Fields")?.includes(`.${suffix}\``))).toEqual([]);
});
