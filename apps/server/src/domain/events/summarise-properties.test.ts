import { describe, expect, test } from "vitest";
import { summariseProperties } from "./summarise-properties.js";

describe("the properties of events", () => {
  test("are listed with how often they occur, their types and their most frequent values", () => {
    const events = [
      { total: 20, plan: "pro", nothing: null },
      { total: 20, plan: "free", cart: { items: ["a"], paid: true } },
      { total: "many" },
      undefined,
    ];
    expect(summariseProperties(events)).toEqual([
      {
        name: "total",
        types: ["number", "string"],
        count: 3,
        samples: [
          { value: 20, count: 2 },
          { value: "many", count: 1 },
        ],
      },
      {
        name: "plan",
        types: ["string"],
        count: 2,
        samples: [
          { value: "pro", count: 1 },
          { value: "free", count: 1 },
        ],
      },
      { name: "cart.items", types: ["array"], count: 1, samples: [{ value: '["a"]', count: 1 }] },
      { name: "cart.paid", types: ["boolean"], count: 1, samples: [{ value: true, count: 1 }] },
    ]);
  });

  test("are bounded, and long values are cut", () => {
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, "x".repeat(10_000)]));
    const summary = summariseProperties([wide]);
    expect(summary).toHaveLength(500);
    expect(String(summary[0]?.samples[0]?.value)).toHaveLength(101);
  });
});
