import fc from "fast-check";
import { expect, test } from "vitest";
import { orderFormulas } from "./formula-order.js";

test("a formula comes after those that it reads", () => {
  const names = ["a", "b", "c", "d", "e"];
  const formulas = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...names),
      reads: fc.array(fc.constantFrom(...names, "plan"), { maxLength: 3 }),
    }),
    { selector: ({ name }) => name },
  );
  fc.assert(
    fc.property(formulas, (given) => {
      const answer = orderFormulas(given);
      const byName = new Map(given.map((formula) => [formula.name, formula]));
      if ("cycle" in answer) {
        const [first, ...rest] = answer.cycle;
        expect(answer.cycle.at(-1)).toBe(first);
        let name = first ?? "";
        for (const next of rest) {
          expect(byName.get(name)?.reads).toContain(next);
          name = next;
        }
        return;
      }
      expect(answer.order).toHaveLength(given.length);
      for (const [place, { reads }] of answer.order.entries()) {
        const later = answer.order.slice(place).map(({ name }) => name);
        expect(reads.filter((name) => later.includes(name))).toEqual([]);
      }
    }),
  );
});

test("a formula that reads itself is a circle", () => {
  expect(orderFormulas([{ name: "a", reads: ["a"] }])).toEqual({ cycle: ["a", "a"] });
});
