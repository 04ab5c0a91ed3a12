import { describe, expect, test } from "vitest";
import { type EventPlan, EventPlans, PlanProblems, refusalOf } from "./event-plan.js";

const ORDERED: EventPlan = {
  name: "Ordered",
  properties: [
    { name: "total", type: "number", required: true, description: "" },
    { name: "at", type: "date", required: false, description: "" },
    { name: "items", type: "array", required: false, description: "" },
    { name: "cart", type: "json", required: false, description: "" },
  ],
  refuses: true,
  mergedInto: null,
};
const plans = new EventPlans([
  ORDERED,
  { name: "Order placed", properties: null, refuses: false, mergedInto: "Ordered" },
]);
const check = (properties: Record<string, unknown>) =>
  plans.check("Ordered", properties)?.problems.map(({ property, problem, found }) => [property, problem, found]);

describe("the plan of an event name", () => {
  test("is followed by events with its properties, and by all events of a name without one", () => {
    expect(check({ total: 1, at: "2026-01-01", items: [1], cart: { size: 2 } })).toBeUndefined();
    expect(check({ total: 1, at: null })).toBeUndefined();
    expect(plans.check("Viewed", { anything: 1 })).toBeUndefined();
    expect(plans.check("Order placed", { anything: 1 })).toBeUndefined();
  });

  test("is broken by properties that are missing, of another type, or unknown", () => {
    expect(check({ at: "soon", cart: "none" })).toEqual([
      ["total", "missing", ""],
      ["at", "wrong_type", "string"],
      ["cart", "wrong_type", "string"],
    ]);
    expect(check({ total: "40", coupon: true, constructor: [1] })).toEqual([
      ["total", "wrong_type", "string"],
      ["coupon", "unknown", "boolean"],
      ["constructor", "unknown", "array"],
    ]);
    expect(check(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, n])))).toHaveLength(10);
  });

  test("says in a sentence why it refuses an event", () => {
    const broken = plans.check("Ordered", { total: "40", coupon: 1 });
    expect(refusalOf("Ordered", broken?.problems ?? [])).toBe(
      'The tracking plan of the event "Ordered" refuses it: the property "total" must be number and is string. Also the property "coupon" is not in the plan.',
    );
  });

  test("gives merged names their new name, and no other", () => {
    expect(["Order placed", "Ordered", "Viewed"].map((name) => plans.currentName(name))).toEqual([
      "Ordered",
      "Ordered",
      "Viewed",
    ]);
  });

  test("knows all names that were merged into a name, also by way of others", () => {
    const merged = (name: string, mergedInto: string) => ({ name, properties: null, refuses: false, mergedInto });
    const chain = new EventPlans([merged("A", "B"), merged("B", "C"), merged("X", "C")]);
    expect(["A", "B", "C", "X", "Y"].map((name) => chain.currentName(name))).toEqual(["C", "C", "C", "C", "Y"]);
    expect([chain.namesUnder("B"), chain.namesUnder("C"), chain.namesUnder("Y")]).toEqual([
      ["B", "A"],
      ["C", "B", "X", "A"],
      ["Y"],
    ]);
    expect(chain.underCurrentName({ event: "A", stored: { event: "C" } })).toEqual({
      event: "C",
      sentAs: "A",
      stored: { event: "C" },
    });
  });

  test("is counted by name, property and problem", () => {
    const problems = new PlanProblems();
    for (const properties of [{}, { total: "1" }, { total: "2" }]) {
      problems.note("Ordered", plans.check("Ordered", properties)?.problems ?? [], true);
    }
    expect(problems.all()).toEqual([
      { name: "Ordered", property: "total", problem: "missing", found: "", count: 1, refused: 1 },
      { name: "Ordered", property: "total", problem: "wrong_type", found: "string", count: 2, refused: 2 },
    ]);
  });
});
