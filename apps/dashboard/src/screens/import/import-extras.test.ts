import { expect, test } from "vitest";
import { extraParameters, extrasProblem, NO_EXTRAS } from "./import-extras.js";

const NOW = Date.parse("2030-01-01T00:00:00Z");

test("values for every row are numbers, yes or no, and text, as on the command line", () => {
  const sharedValues = [
    { name: " source ", value: "fair 2030" },
    { name: "seats", value: "12" },
    { name: "is_lead", value: "true" },
    { name: "zip", value: '"08001"' },
    { name: "", value: "" },
  ];
  expect(extraParameters("users", { ...NO_EXTRAS, sharedValues, emitsEvent: true })).toEqual({
    description: "",
    traits: { source: "fair 2030", seats: 12, is_lead: true, zip: "08001" },
    emit_event: true,
  });
  expect(extraParameters("events", { ...NO_EXTRAS, sharedValues, emitsEvent: true })).toEqual({
    description: "",
    traits: {},
    emit_event: false,
  });
});

test("a time of the viewer's clock is sent as a moment, and a past one is refused", () => {
  const beginsAt = "2030-01-31T08:00";
  const extras = { ...NO_EXTRAS, description: " Fair ", beginsAt };
  expect(extraParameters("accounts", extras)).toMatchObject({
    description: "Fair",
    schedule_at: new Date(2030, 0, 31, 8).toISOString(),
  });
  expect(extrasProblem(extras, NOW)).toBeUndefined();
  expect(extrasProblem({ ...NO_EXTRAS, beginsAt: "2029-01-31T08:00" }, NOW)).toMatch(/in the past/);
});

test.each([
  [[{ name: "", value: "x" }], /needs the name/],
  [
    [
      { name: "a", value: "1" },
      { name: "a ", value: "2" },
    ],
    /two values of "a"/,
  ],
])("the values %j must be changed first", (sharedValues, problem) => {
  expect(extrasProblem({ ...NO_EXTRAS, sharedValues }, NOW)).toMatch(problem);
});
