import { describe, expect, test } from "vitest";
import { guessColumn, guessType } from "./guess-column.js";

describe("the type of a column", () => {
  test.each([
    [["1", "2.5", "-3"], "numeric"],
    [["0123", "0456"], "string"],
    [["+4912345", "12345"], "string"],
    [["true", "No"], "boolean"],
    [["0", "1"], "numeric"],
    [["2024-05-12", "2024-05-12T10:00:00Z"], "date"],
    [["2024", "1999"], "numeric"],
    [["a", "1"], "string"],
    [[["a"], []], "array"],
    [[{ a: 1 }], "json"],
    [[], "string"],
  ] as const)("of %j is %s", (values, type) => {
    expect(guessType(values)).toBe(type);
  });
});

describe("what becomes of a column", () => {
  const known = (name: string) => (name === "seats" ? ("numeric" as const) : undefined);
  test.each([
    ["users", "E-mail", ["a@b.c"], { to: "identifier", name: "email", type: "string" }],
    ["users", "userId", ["1"], { to: "identifier", name: "external_id", type: "string" }],
    ["users", "ID", ["7"], { to: "identifier", name: "external_id", type: "string" }],
    ["users", "id", ["018f6d2b4c0010a1b2000001"], { to: "identifier", name: "id", type: "string" }],
    ["users", "Company domain", ["a.b"], { to: "identifier", name: "account.domain", type: "string" }],
    ["users", "First Name", ["Ann"], { to: "attribute", name: "first_name", type: "string" }],
    ["users", "Full name", ["Ann Smith"], { to: "attribute", name: "name", type: "string" }],
    ["users", "Notes", [], { to: "ignore", name: "notes", type: "string" }],
    ["users", "Seats", ["12"], { to: "attribute", name: "seats", type: "numeric" }],
    ["users", "updated_at", ["2024-05-12"], { to: "ignore", name: "updated_at", type: "date" }],
    ["accounts", "Website", ["a.b"], { to: "identifier", name: "domain", type: "string" }],
    ["events", "Event name", ["Ordered"], { to: "field", name: "event", type: "string" }],
    ["events", "properties.total", [12], { to: "property", name: "total", type: "numeric" }],
    ["events", "user_id", ["1"], { to: "identifier", name: "external_id", type: "string" }],
  ] as const)("of %s named %s", (object, column, values, suggestion) => {
    expect(guessColumn(object, column, values, known).suggestion).toEqual(suggestion);
  });

  test("a known type that some values do not have is a conflict, in a sentence", () => {
    const { conflict, knownType } = guessColumn("users", "Seats", ["12", "many", "3"], known);
    expect(knownType).toBe("numeric");
    expect(conflict).toBe(
      '"seats" is a number, and 1 value of 3 in the sample cannot be read as that. Such rows would be refused.',
    );
  });
});
