import type { Compute } from "@muster/protocol/api/computed-attributes";
import { expect, test } from "vitest";
import { computeSentence } from "./compute-words.js";

test.each<[Compute, string]>([
  [{ count: { event: "Order completed" } }, "Number of “Order completed”"],
  [
    { sum: { event: "Order completed", property: "amount", within: "30d" } },
    "Sum of amount of “Order completed” in the last 30 days",
  ],
  [
    { unique: { event: "Page", property: "url", where: { term: { "properties.site": "shop" } }, within: "1d" } },
    "Number of different values of url of “Page” that match the filter in the last day",
  ],
  [{ first: { event: "Signed up", property: "channel" } }, "First channel of “Signed up”"],
  [{ formula: "seats * 2" }, "Formula: seats * 2"],
  [{ over_users: { count: {} } }, "Number of users"],
  [{ over_users: { share: { where: { exists: { field: "email" } } } } }, "Share of users that match the filter"],
  [{ over_users: { max: { attribute: "traits_score" } } }, "Greatest score of the users"],
  [
    { over_users: { sum: { event: "Order", property: "amount" } } },
    "Sum of amount of “Order”, of all users of the account",
  ],
])("says in a sentence what is computed: %j", (compute, sentence) => {
  expect(computeSentence(compute)).toBe(sentence);
});
