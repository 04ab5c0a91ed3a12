import { expect, test } from "vitest";
import { userDocument, userId } from "./generate.js";

test("ids have 24 digits and sort like the numbers of users", () => {
  const ids = [0, 1, 255, 65_536, 999_999].map(userId);
  expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
});

test("the same number is the same user", () => {
  expect(userDocument(7)).toEqual(userDocument(7));
  expect(userDocument(7).report).toMatchObject({
    id: userId(7),
    email: "user-7@example.com",
    traits_plan: "enterprise",
  });
});
