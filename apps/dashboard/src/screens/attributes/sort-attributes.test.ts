import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { expect, test } from "vitest";
import { sortAttributes } from "./sort-attributes.js";

const figure = (name: string, more: Partial<AttributeFigure> = {}): AttributeFigure => ({
  key: name,
  name,
  type: "string",
  group: null,
  standard: false,
  visible: true,
  track_changes: true,
  server_only: false,
  label: "",
  description: "",
  removing: false,
  source: null,
  count: 0,
  first_seen_at: null,
  last_seen_at: null,
  ...more,
});

const FIGURES = [
  figure("plan", { count: 5 }),
  figure("crm/stage", { count: 9, group: "crm" }),
  figure("email", { standard: true, count: 7 }),
  figure("segment_ids", { standard: true, count: null }),
  figure("secret", { visible: false }),
];

const names = (options: Partial<Parameters<typeof sortAttributes>[1]>) =>
  sortAttributes(FIGURES, {
    computed: [],
    text: "",
    shown: "all",
    sort: { column: "filled", direction: "desc" },
    ...options,
  }).map(({ name }) => name);

test("attributes are sorted, and what is not counted comes after zero", () => {
  expect(names({})).toEqual(["crm/stage", "email", "plan", "secret", "segment_ids"]);
  expect(names({ sort: { column: "name", direction: "asc" } })[0]).toBe("crm/stage");
});

test("attributes are found by their label, and sorted by what they are called", () => {
  const called = FIGURES.map((one) => (one.name === "plan" ? { ...one, label: "A subscription" } : one));
  const sort = { column: "name", direction: "asc" } as const;
  const sorted = (text: string) => sortAttributes(called, { computed: [], text, shown: "all", sort });
  expect(sorted("")[0]?.name).toBe("plan");
  expect(sorted("subscription").map(({ name }) => name)).toEqual(["plan"]);
});

test("attributes are found by words, and by what is to be shown", () => {
  expect(names({ text: "STAGE crm" })).toEqual(["crm/stage"]);
  expect(names({ shown: "standard" })).toEqual(["email", "segment_ids"]);
  expect(names({ shown: "hidden" })).toEqual(["secret"]);
  expect(names({ shown: "custom" })).toEqual(["crm/stage", "plan", "secret"]);
});
