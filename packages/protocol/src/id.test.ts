import fc from "fast-check";
import { expect, test } from "vitest";
import { createdAtOfId, isId, type ObjectType, typeOfId } from "./api/object-ids.js";
import { createId, deriveId } from "./id.js";

const TYPES: ObjectType[] = [
  "organization",
  "connector",
  "user",
  "account",
  "event",
  "users_segment",
  "accounts_segment",
  "entity",
  "comment",
  "job",
  "platform",
  "deployment",
  "computed_attribute",
];
const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test("an id is 24 lower-case hex digits and carries its type and time", () => {
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), times, (type, now) => {
      const id = createId(type, now);
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      expect(isId(id)).toBe(true);
      expect(typeOfId(id)).toBe(type);
      expect(createdAtOfId(id).getTime()).toBe(now);
    }),
  );
});

test("ids sort by the time they were created at", () => {
  fc.assert(
    fc.property(times, times, fc.constantFrom(...TYPES), fc.constantFrom(...TYPES), (a, b, typeOfA, typeOfB) => {
      fc.pre(a < b);
      expect(createId(typeOfA, a) < createId(typeOfB, b)).toBe(true);
    }),
  );
});

test("ids created in the same millisecond differ", () => {
  const ids = Array.from({ length: 10_000 }, () => createId("user", 1_700_000_000_000));
  expect(new Set(ids).size).toBe(ids.length);
});

test("a derived id is the same for the same time and key, and differs for any other", () => {
  const id = deriveId("event", 1_700_000_000_000, "order 1");
  expect(deriveId("event", 1_700_000_000_000, "order 1")).toBe(id);
  expect(deriveId("event", 1_700_000_000_000, "order 2")).not.toBe(id);
  expect(deriveId("event", 1_700_000_000_001, "order 1")).not.toBe(id);
  expect(typeOfId(id)).toBe("event");
  expect(isId(id)).toBe(true);
});

test.each([
  "",
  "me",
  "0123456789ABCDEF01234567",
  "0123456789abcdef0123456",
  "0123456789abcdef012345678",
  "0123456789abcdef0123456g",
  "0123456789abcdef01234567\n",
  " 123456789abcdef01234567",
])("%j is not an id and has no type", (text) => {
  expect(isId(text)).toBe(false);
  expect(typeOfId(text)).toBeUndefined();
});

test("a value that is not a string is not an id", () => {
  for (const value of [undefined, null, 12, {}, ["0123456789abcdef01234567"]]) expect(isId(value)).toBe(false);
});

test("an id with an unknown type code has no type", () => {
  expect(typeOfId("0123456789abff0123456789")).toBeUndefined();
});
