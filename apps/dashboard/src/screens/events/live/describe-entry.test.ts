import type { RecentEntry } from "@muster/protocol/api/ingestion";
import { expect, test } from "vitest";
import { contentOf, typeInWords } from "./describe-entry.js";

const entry = (more: Partial<RecentEntry>) => ({ type: "track", event: null, body: null, ...more }) as RecentEntry;

test("an entry is told in one line", () => {
  expect(contentOf(entry({ event: "Ordered" }))).toBe("Ordered");
  expect(contentOf(entry({}))).toBe("(event without a name)");
  expect(contentOf(entry({ type: "traits", body: { plan: "pro", age: 3 } }))).toBe("plan, age");
  expect(contentOf(entry({ type: "traits", body: {} }))).toBe("(nothing)");
});

test("types have words", () => {
  expect([typeInWords("traits"), typeInWords(null), typeInWords("other")]).toEqual([
    "Attributes",
    "Unreadable",
    "other",
  ]);
});
