import { expect, test } from "vitest";
import { subjectNames } from "./subject-names.js";

test.for<[Record<string, unknown>, string[]]>([
  [{ name: "Ada", first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" }, ["Ada", "ada@example.com"]],
  [{ first_name: "Ada", last_name: "Lovelace", external_id: "7" }, ["Ada Lovelace", "7"]],
  [{ first_name: "", last_name: "Lovelace" }, ["Lovelace"]],
  [{ name: "acme.com", domain: "acme.com", external_id: "42" }, ["acme.com", "42"]],
  [{ name: null, email: 5, anonymous_ids: ["cookie"] }, []],
])("the names of %j", ([report, names]) => {
  expect(subjectNames(report)).toEqual(names);
});
