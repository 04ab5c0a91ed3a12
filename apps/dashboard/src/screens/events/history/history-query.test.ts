import { expect, test } from "vitest";
import { historyQuery } from "./history-query.js";

const NOTHING = { event: "", user: "", property: "", value: "", since: "" };

test("without a filter all events are wanted", () => {
  expect(historyQuery(NOTHING)).toEqual({ bool: { must: [] } });
});

test("a value of a property is wanted as a text and as what it may be besides", () => {
  const wanted = (value: string) => historyQuery({ ...NOTHING, property: "total", value }).bool;
  expect(wanted("20")).toEqual({ must: [{ terms: { "properties.total": ["20", 20] } }] });
  expect(wanted("true")).toEqual({ must: [{ terms: { "properties.total": ["true", true] } }] });
  expect(wanted("blue")).toEqual({ must: [{ terms: { "properties.total": ["blue"] } }] });
  expect(wanted("")).toEqual({ must: [{ exists: { field: "properties.total" } }] });
});

test("name, time and user are conditions of their own", () => {
  const { bool } = historyQuery({ ...NOTHING, event: "Ordered", user: " Ann@example.com ", since: "now-7d" });
  const { must } = bool as { must: unknown[] };
  expect(must).toHaveLength(3);
  expect(must[0]).toEqual({ term: { event: "Ordered" } });
  expect(JSON.stringify(must[1])).toContain('{"email":"ann@example.com"}');
  expect(must[2]).toEqual({ range: { created_at: { gte: "now-7d" } } });
});
