import { expect, test } from "vitest";
import {
  addressOfView,
  isChanged,
  printColumns,
  printFilter,
  printSort,
  readColumns,
  readFilter,
  readSort,
} from "./list-address.js";
import { USUAL_COLUMNS } from "./usual-list.js";

test("columns are written into the address and read again, with any name", () => {
  const columns = [{ key: "email", width: 240 }, { key: "traits_crm/a,b:c%" }];
  expect(readColumns(printColumns(columns), "user")).toEqual(columns);
  expect(readColumns("", "account")).toBe(USUAL_COLUMNS.account);
});

test("an order has a minus in front when the last ones come first", () => {
  expect(readSort("-mrr")).toEqual({ key: "mrr", direction: "desc" });
  expect(readSort(printSort({ key: "mrr", direction: "asc" }))).toEqual({ key: "mrr", direction: "asc" });
});

test("a filter that cannot be read is no filter, and an empty one is not written", () => {
  expect(readFilter("{broken")).toEqual({});
  expect(readFilter("[1]")).toEqual({});
  expect(printFilter({ type: "all", predicates: [] })).toBe("");
  expect(printFilter({})).toBe("");
});

test("a list is changed when it shows something else than its view", () => {
  const view = {
    id: 7,
    name: "Pro",
    target: "user" as const,
    predicate: { type: "all" as const, predicates: [{ event: { name: "Ordered" } }] },
    search: "ann",
    columns: [{ key: "email" }],
    sort: { created_at: "desc" as const },
    created_at: "2030-01-01T00:00:00.000Z",
    updated_at: "2030-01-01T00:00:00.000Z",
  };
  const address = addressOfView(view);
  expect(address).toEqual({
    view: "7",
    q: "ann",
    filter: '{"type":"all","predicates":[{"event":{"name":"Ordered"}}]}',
    columns: "email",
    sort: undefined,
  });
  expect(isChanged(view, address)).toBe(false);
  expect(isChanged(view, { ...address, q: "anna" })).toBe(true);
  expect(isChanged(view, { ...address, filter: undefined })).toBe(true);
});
