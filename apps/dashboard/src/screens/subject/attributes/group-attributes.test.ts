import type { AttributeState } from "@muster/protocol/api/history";
import { expect, test } from "vitest";
import { groupAttributes, isRecent, shortName } from "./group-attributes.js";

function attribute(name: string, more: Partial<AttributeState> = {}): AttributeState {
  const slash = name.indexOf("/");
  return {
    name,
    key: `traits_${name}`,
    type: "string",
    group: slash > 0 ? name.slice(0, slash) : null,
    value: "x",
    set_at: null,
    set_by: null,
    changed_at: null,
    tracked: true,
    proved: true,
    computed: false,
    previous: [],
    ...more,
  };
}

test("custom attributes come first, then the groups, then the standard fields", () => {
  const attributes = [attribute("email", { key: "email" }), attribute("crm/size"), attribute("plan")];
  const groups = groupAttributes(attributes, "");
  expect(groups.map(({ name, attributes: of }) => [name, of.map(shortName)])).toEqual([
    ["Attributes", ["plan"]],
    ["crm", ["size"]],
    ["Standard", ["email"]],
  ]);
});

test("the filter looks at names and values", () => {
  const attributes = [attribute("plan", { value: "Pro" }), attribute("city", { value: ["Bern"] })];
  expect(groupAttributes(attributes, "pro").flatMap(({ attributes: of }) => of.map(({ name }) => name))).toEqual([
    "plan",
  ]);
  expect(groupAttributes(attributes, "CITY")).toHaveLength(1);
  expect(groupAttributes(attributes, "bern")).toHaveLength(1);
  expect(groupAttributes(attributes, "nothing")).toEqual([]);
});

test("a change of the last day is recent, and a value that never changed is not", () => {
  const now = Date.parse("2026-05-02T12:00:00Z");
  expect(isRecent(attribute("a", { changed_at: "2026-05-02T01:00:00Z" }), now)).toBe(true);
  expect(isRecent(attribute("a", { changed_at: "2026-04-02T01:00:00Z" }), now)).toBe(false);
  expect(isRecent(attribute("a"), now)).toBe(false);
});
