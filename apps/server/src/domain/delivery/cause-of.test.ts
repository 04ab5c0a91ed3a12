import { describe, expect, it } from "vitest";
import { causeOf } from "./cause-of.js";

const REASON = "It answered with status 422.";
const withBody = (body: string) => causeOf({ reason: REASON, answer: { status: 422, body } });

describe("the cause of a failed call", () => {
  it("is the reason and the sentence that the connector answered with", () => {
    expect(withBody('{"error":{"message":"The phone number is missing."}}')).toBe(
      `${REASON} The phone number is missing.`,
    );
    expect(withBody('{"errors":[{"detail":"No such list."}]}')).toBe(`${REASON} No such list.`);
    expect(withBody("quota used up\nsee the docs")).toBe(`${REASON} quota used up`);
  });

  it("is the reason alone when there was no answer, or one without a sentence", () => {
    expect(causeOf({ reason: "It did not answer.", answer: null })).toBe("It did not answer.");
    expect(withBody("")).toBe(REASON);
    expect(withBody("{}")).toBe(REASON);
    expect(withBody("<html><body>no</body></html>")).toBe(REASON);
  });

  it("is the same for messages that differ only in addresses, ids and long numbers", () => {
    const one = withBody('{"message":"Contact ada@example.com (0198c2a4f1d010a1b2c3d4e5) is on list 48213."}');
    const other = withBody('{"message":"Contact bo@example.org (0198c2a4f1d010a1b2c3d4e6) is on list 90001."}');
    expect([one, other]).toEqual([`${REASON} Contact … (…) is on list ….`, one]);
    expect(withBody('{"message":"Contact 5 of 20"}')).toBe(`${REASON} Contact 5 of 20`);
  });

  it("is short", () => {
    expect(withBody(JSON.stringify({ message: "x y ".repeat(10_000) })).length).toBe(200);
  });
});
