import { describe, expect, test } from "vitest";
import { generalReason } from "./general-reason.js";

describe("the general reason of a rejection", () => {
  test.each([
    ['Nobody is known by email "ann@example.com", external_id "4".', 'Nobody is known by email "…", external_id "…".'],
    [
      'The attribute "born_at" was refused: "long ago" cannot be read as a date. The attribute "age" was refused: no.',
      'The attribute "born_at" was refused: "…" cannot be read as a date.',
    ],
    [
      'The user 018f6d2b4c0010a1b2000001 already has the email "a@b.example"; "c@d.example" was not added.',
      'The user … already has the email "…"; "…" was not added.',
    ],
    [
      'The tracking plan of the event "Ordered" refuses it: the property "total" (number) is missing. Also more.',
      'The tracking plan of the event "Ordered" refuses it: the property "total" (number) is missing.',
    ],
    ["The user is not linked to an account.", "The user is not linked to an account."],
  ])("of %s is %s", (message, reason) => {
    expect(generalReason(message)).toBe(reason);
  });

  test("is short enough for an index, and storable", () => {
    const reason = generalReason(`It could not be stored: ${"x".repeat(275)}😀😀.`);
    expect(reason.length).toBeLessThanOrEqual(301);
    expect(reason.isWellFormed()).toBe(true);
  });
});
