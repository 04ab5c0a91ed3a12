import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupTraits } from "./group-traits.js";

describe("groupTraits", () => {
  it("groups by the delimiter, and puts user attributes without a group under `traits`", () => {
    expect(
      groupTraits({
        email: "ada@example.com",
        traits_plan: "pro",
        traits_plan_since: "2026-01-01",
        "traits_crm/stage": "won",
        "traits_crm/owner/name": "Bo",
        "billing/total": 18,
      }),
    ).toEqual({
      email: "ada@example.com",
      traits: { plan: "pro", plan_since: "2026-01-01" },
      crm: { stage: "won", owner: { name: "Bo" } },
      billing: { total: 18 },
    });
  });

  it("keeps a value under its flat key when another value has its place, whichever comes first", () => {
    const expected = { crm: "none", "traits_crm/stage": "won" };
    expect(groupTraits({ crm: "none", "traits_crm/stage": "won" })).toEqual(expected);
    expect(groupTraits({ "traits_crm/stage": "won", crm: "none" })).toEqual(expected);
  });

  it("does not put groups into objects that are values", () => {
    const account = { id: "1" };
    expect(groupTraits({ account, "account/name": "A" })).toEqual({ account: { id: "1" }, "account/name": "A" });
    expect(account).toEqual({ id: "1" });
  });

  it("loses no value and changes no prototype", () => {
    const part = fc.constantFrom("a", "b", "plan", "__proto__", "constructor", "");
    const key = fc
      .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 3 }))
      .map(([isUser, parts]) => (isUser ? "traits_" : "") + parts.join("/"));
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 12 }), (keys) => {
        const flat = Object.fromEntries(keys.map((each, index) => [each, index]));
        const leaves = leavesOf(groupTraits(flat)).sort((a, b) => a - b);
        expect(leaves).toEqual(Object.values(flat).sort((a, b) => a - b));
        expect(Object.prototype).not.toHaveProperty("plan");
      }),
    );
  });
});

function leavesOf(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return Object.values(value as Record<string, unknown>).flatMap(leavesOf);
}
