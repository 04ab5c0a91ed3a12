import type { AttributeState } from "@muster/protocol/api/history";
import { expect, test } from "vitest";
import { originSentence } from "./origin-sentence.js";

const now = Date.parse("2026-05-02T12:00:00Z");
const shop = { connector_id: "c", connector_name: "Shop", job_id: null };
const plan: AttributeState = {
  name: "plan",
  key: "traits_plan",
  type: "string",
  group: null,
  value: "pro",
  set_at: "2026-05-01T12:00:00Z",
  set_by: shop,
  changed_at: "2026-05-01T12:00:00Z",
  tracked: true,
  proved: true,
  computed: false,
  previous: [{ value: "free", until: "2026-05-01T12:00:00Z", replaced_by: shop }],
};

test("a value says when and by whom it was written, and what it was before", () => {
  expect(originSentence(plan, now)).toBe("Written yesterday by Shop. Before: free.");
  const imported = { ...plan, set_by: { ...shop, job_id: "j" }, previous: [] };
  expect(originSentence(imported, now)).toBe("Written yesterday by an import of Shop. No earlier value is kept.");
});

test("what is not known is not claimed", () => {
  expect(originSentence({ ...plan, tracked: false, previous: [] }, now)).toContain(
    "Changes of this attribute are not kept.",
  );
  const removed = { ...plan, set_by: { ...shop, connector_name: null } };
  expect(originSentence(removed, now)).toContain("by a connector that was removed");
  expect(originSentence({ ...plan, set_at: null, set_by: null, computed: true, previous: [] }, now)).toBe(
    "Muster keeps this field itself.",
  );
});
