import { expect, test } from "vitest";
import { clauseVerdict } from "./clause-verdict.js";

const clause = { path: "bool.must.0", sentence: "plan is pro" };

test("a clause is fulfilled when it holds, and one under “none of” when it does not", () => {
  const verdicts = [
    clauseVerdict({ ...clause, negated: false, holds: true, seen: "pro" }),
    clauseVerdict({ ...clause, negated: false, holds: false, seen: null }),
    clauseVerdict({ ...clause, negated: true, holds: false, seen: 0 }),
    clauseVerdict({ ...clause, negated: true, holds: true, seen: 3 }),
  ];
  expect(verdicts.map(({ isFulfilled, verdict, seen }) => [isFulfilled, verdict, seen])).toEqual([
    [true, "It holds.", "The value is pro."],
    [false, "It does not hold.", "There is no value."],
    [true, "It does not hold, as it must.", "The value is 0."],
    [false, "It holds, and must not.", "The value is 3."],
  ]);
});
