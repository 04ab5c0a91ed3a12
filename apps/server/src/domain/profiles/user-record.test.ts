import { createId } from "@muster/protocol";
import { expect, test } from "vitest";
import { createProfile } from "./profile.js";
import { userRecord } from "./user-record.js";

const user = {
  ...createProfile("user", createId("user", 0), 0),
  identifiers: { anonymous_id: ["a"], email: ["ann@example.com"] },
};
const parts = { user, report: {}, actions: {}, liked: 0, signIn: undefined, signInProvider: undefined, isAdmin: false };

test("the main identity is the strongest identifier of the user", () => {
  expect(userRecord(parts)).toMatchObject({ main_identity: "email", confirmed: false, sign_in: null });
  const external = { ...user, identifiers: { ...user.identifiers, external_id: ["1"] } };
  expect(userRecord({ ...parts, user: external }).main_identity).toBe("external");
  const unknown = { ...user, identifiers: {} };
  expect(userRecord({ ...parts, user: unknown })).toMatchObject({ main_identity: null, identities: [] });
});

test("a user who signed in is confirmed, and the main identity is the connector of the sign-in", () => {
  const signIn = { count: 3, at: new Date(0), appId: "app", url: "https://x.example" };
  expect(userRecord({ ...parts, signIn, signInProvider: "Shop" })).toMatchObject({
    main_identity: "Shop",
    confirmed: true,
    stats: { sign_in_count: 3 },
    sign_in: { created_at: "1970-01-01T00:00:00.000Z", app_id: "app", url: "https://x.example" },
  });
});

test("a missing name is made of the first and the last name", () => {
  const name = (report: Record<string, string>) => userRecord({ ...parts, report }).name;
  expect(name({ first_name: "Ann", last_name: "Lee" })).toBe("Ann Lee");
  expect(name({ first_name: "Ann" })).toBe("Ann");
  expect(name({ name: "A. Lee", first_name: "Ann" })).toBe("A. Lee");
  expect(name({})).toBeNull();
});

test("the contact email is the email unless another one is set", () => {
  expect(userRecord({ ...parts, report: { email: "a@example.com" } }).contact_email).toBe("a@example.com");
  const both = { email: "a@example.com", contact_email: "b@example.com" };
  expect(userRecord({ ...parts, report: both }).contact_email).toBe("b@example.com");
});
