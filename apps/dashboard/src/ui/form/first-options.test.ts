import { expect, test } from "vitest";
import { FIRST_OPTIONS } from "./first-options.js";

const { filter } = FIRST_OPTIONS;
const options = ["plan", "place", "email"].map((name) => ({ value: name, label: name }));
const values = (found: ReturnType<typeof filter>) =>
  found.flatMap((one) => ("group" in one ? one.items : [one])).map(({ label }) => label);

test("a list that is cut says so in its last line, which nobody can choose", () => {
  const cut = filter({ options, search: "", limit: 2 });
  expect(values(cut)).toEqual(["plan", "place", "Type to find the others"]);
  expect(cut.at(-1)).toMatchObject({ disabled: true });
  expect(values(filter({ options: [{ group: "All", items: options }], search: "", limit: 2 }))).toEqual(values(cut));
});

test("a list that is whole says nothing", () => {
  expect(values(filter({ options, search: "", limit: 3 }))).toEqual(["plan", "place", "email"]);
  expect(values(filter({ options, search: "pla", limit: 2 }))).toEqual(["plan", "place"]);
});
