import type { AuditEntry } from "@muster/protocol/api/members";
import { expect, test } from "vitest";
import { auditSentence } from "./audit-sentence.js";

function entry(action: string, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: 1,
    happened_at: "2026-01-01T00:00:00.000Z",
    member_id: null,
    who: "operator",
    action,
    object_type: null,
    object_id: null,
    label: null,
    before: null,
    after: null,
    address: "127.0.0.1",
    ...more,
  };
}

test("a change of an object is told with its type and name", () => {
  expect(auditSentence(entry("PUT /api/v1/:id", { object_type: "users_segment", label: "Buyers" }))).toBe(
    "Changed user segment Buyers",
  );
  expect(auditSentence(entry("DELETE /api/v1/:id", { object_type: "user", object_id: "42" }))).toBe("Removed user 42");
});

test("actions have words of their own", () => {
  expect(auditSentence(entry("PUT /api/v1/members/:id", { label: "Ann" }))).toBe("Changed the role of Ann");
  expect(auditSentence(entry("POST /api/v1/connectors/install", { object_id: "42", label: "Old CRM" }))).toBe(
    "Installed connector Old CRM",
  );
  const created = entry("POST /api/v1/users_segments", { object_type: "accounts_segment", label: "At risk" });
  expect(auditSentence(created)).toBe("Created account segment At risk");
  expect(auditSentence(entry("PUT /api/v1/settings/user_traits/*"))).toBe("Changed an attribute of users");
  expect(auditSentence(entry("PUT /api/v1/settings/account_trait_groups/:group"))).toBe(
    "Changed an attribute group of accounts",
  );
  expect(auditSentence(entry("POST /api/v1/import/users"))).toBe("Imported users");
  expect(auditSentence(entry("POST /api/v1/extract/user_reports"))).toBe("Extracted user reports");
});

test("an undo is told apart from a look at what it would do", () => {
  const revert = "POST /api/v1/:id/revert";
  const job = { object_type: "job", label: "people.csv", after: { dry_run: false } };
  expect(auditSentence(entry(revert, job))).toBe("Undid job people.csv");
  const looked = { object_type: "connector", label: "CRM", after: { dry_run: true, from: "2026-01-01" } };
  expect(auditSentence(entry(revert, looked))).toBe("Looked at what undoing the writes of connector CRM would do");
  expect(auditSentence(entry(revert, { ...looked, after: null }))).toBe("Undid the writes of connector CRM");
});

test("computed attributes are named as such", () => {
  expect(auditSentence(entry("POST /api/v1/computed_attributes", { label: "orders" }))).toBe(
    "Created a computed attribute orders",
  );
  expect(auditSentence(entry("PUT /api/v1/computed_attributes/:id"))).toBe("Changed a computed attribute");
  expect(auditSentence(entry("DELETE /api/v1/computed_attributes/:id"))).toBe("Deleted a computed attribute");
});

test("an action that is not known is told by its path", () => {
  expect(auditSentence(entry("PUT /api/v1/settings/mail/*"))).toBe("Changed settings mail");
});
