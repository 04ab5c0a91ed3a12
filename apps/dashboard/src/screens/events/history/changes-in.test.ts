import { expect, test } from "vitest";
import { changesIn } from "./changes-in.js";

const FIELDS = {
  user: [
    { key: "traits_plan", label: "Tariff" },
    { key: "traits_size", label: "" },
  ],
  account: [{ key: "plan", label: "Contract" }],
};
const changes = { plan: { from: "free", to: "pro" }, size: { from: null, to: 3 }, gone: { from: 1, to: null } };
const ofUser = { event_source: "platform", user_id: "u", properties: { changes } };

test("changed attributes are told by their labels, with the values before and after", () => {
  expect(changesIn(ofUser, FIELDS)).toEqual({
    Tariff: "free → pro",
    size: "no value → 3",
    gone: "1 → no value",
  });
  const ofAccount = { ...ofUser, user_id: "", properties: { changes: { plan: changes.plan } } };
  expect(changesIn(ofAccount, FIELDS)).toEqual({ Contract: "free → pro" });
});

test.each([
  { ...ofUser, event_source: "api" },
  { ...ofUser, properties: { segment_id: "s" } },
  { ...ofUser, properties: { changes: ["plan"] } },
])("other events keep their properties: %j", (event) => {
  expect(changesIn(event, FIELDS)).toBeUndefined();
});
