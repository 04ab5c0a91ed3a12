import { expect, test } from "vitest";
import { type ChoiceGroup, filterChoices } from "./clause-choices.js";
import { newGroup } from "./clauses.js";

const groupOf = (count: number): ChoiceGroup => ({
  title: "Attributes",
  choices: Array.from({ length: count }, (_, n) => ({
    id: `${n}`,
    name: `attribute ${n}`,
    hint: "text",
    make: () => newGroup(),
  })),
});

test("what is not listed is counted, so that the list can say that there is more", () => {
  const { groups, left } = filterChoices([groupOf(50), groupOf(41), groupOf(3)], "");
  expect(groups.map(({ choices }) => choices.length)).toEqual([40, 40, 3]);
  expect(left).toBe(11);
});

test("a search that finds few leaves nothing out", () => {
  expect(filterChoices([groupOf(50)], "attribute 49")).toMatchObject({
    groups: [{ choices: [{ id: "49" }] }],
    left: 0,
  });
});
