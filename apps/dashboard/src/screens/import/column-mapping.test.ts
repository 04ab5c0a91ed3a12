import type { InspectedColumn } from "@muster/protocol/api/imports";
import { expect, test } from "vitest";
import { type ColumnChoice, choiceProblem, mappedColumns, suggestedChoices } from "./column-mapping.js";

const email: ColumnChoice = { column: "E-mail", to: "identifier", name: "email", type: "string" };
const seats: ColumnChoice = { column: "Seats", to: "attribute", name: "seats", type: "numeric" };

test("of two columns with the same suggestion the second is left out", () => {
  const column = (name: string): InspectedColumn => ({
    column: name,
    type: "string",
    samples: [],
    filled: 1,
    suggestion: { to: "identifier", name: "email", type: "string" },
  });
  expect(suggestedChoices([column("Mail"), column("E-mail")]).map(({ to }) => to)).toEqual(["identifier", "ignore"]);
});

test("a file needs an identifier, names that differ, and events a name", () => {
  expect(choiceProblem("users", [email, seats], "")).toBeUndefined();
  expect(choiceProblem("users", [seats], "")).toContain("identifies the user");
  expect(choiceProblem("users", [{ ...email, name: "account.domain" }], "")).toContain("identifies the user");
  expect(choiceProblem("users", [email, seats, { ...seats, column: "Seats 2" }], "")).toContain('become "seats"');
  expect(choiceProblem("users", [email, { ...email, column: "Mail" }], "")).toContain('become "E-mail"');
  expect(choiceProblem("users", [email, { ...seats, name: " " }], "")).toContain('"Seats" needs a name');
  expect(choiceProblem("events", [email], "")).toContain("name of the event");
  expect(choiceProblem("events", [email], "Ordered")).toBeUndefined();
});

test("columns that are left out are not sent, and all events can have the same name", () => {
  expect(mappedColumns("users", [email, { ...seats, to: "ignore" }], "")).toEqual([email]);
  expect(mappedColumns("events", [email], "Ordered").at(-1)).toEqual({
    value: "Ordered",
    to: "field",
    name: "event",
    type: "string",
  });
});
