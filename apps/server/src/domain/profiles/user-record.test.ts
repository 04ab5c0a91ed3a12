import { createId } from "@muster/protocol";
import { expect, test } from "vitest";
import { createProfile } from "./profile.js";
import { combineMarks } from "./user-marks.js";
import { userRecord } from "./user-record.js";

const user = {
  ...createProfile("user", createId("user", 0), 0),
  identifiers: { anonymous_id: ["a"], email: ["ann@example.com"] },
};
const parts = {
  user,
  report: {},
  actions: {},
  eventsByAnonymousId: new Map([["a", 3]]),
  liked: 0,
  signIns: [],
  marks: combineMarks(undefined, []),
};

test("the main identity is the strongest identifier of the user", () => {
  expect(userRecord(parts)).toMatchObject({ main_identity: "email", confirmed: false, sign_in: null });
  const external = { ...user, identifiers: { ...user.identifiers, external_id: ["1"] } };
  expect(userRecord({ ...parts, user: external }).main_identity).toBe("external");
  const unknown = { ...user, identifiers: {} };
  expect(userRecord({ ...parts, user: unknown })).toMatchObject({ main_identity: null, identities: [] });
});

test("a user who signed in is confirmed, and the main identity is the connector of the latest sign-in", () => {
  const shop = {
    appId: "1",
    provider: "Shop",
    count: 3,
    firstAt: new Date(1),
    at: new Date(9),
    url: "https://x.example",
  };
  const gone = { appId: "2", provider: undefined, count: 5, firstAt: new Date(1), at: new Date(8), url: null };
  const blog = { appId: "3", provider: "Shop", count: 1, firstAt: null, at: new Date(7), url: null };
  const record = userRecord({ ...parts, signIns: [shop, gone, blog] });
  expect(record).toMatchObject({
    main_identity: "Shop",
    confirmed: true,
    stats: { sign_in_count: 9 },
    sign_in: { created_at: new Date(9).toISOString(), app_id: "1", url: "https://x.example" },
  });
  expect(record.identities.slice(0, 2)).toMatchObject([
    {
      id: `1:${user.id}`,
      created_at: new Date(1).toISOString(),
      stats: { sign_in_count: 3, last_sign_in_at: new Date(9).toISOString() },
    },
    { id: `3:${user.id}`, created_at: new Date(0).toISOString(), stats: { sign_in_count: 1 } },
  ]);
  expect(new Set(record.identities.map(({ id }) => id)).size).toBe(record.identities.length);
});

test("identities have the tags of the user, and anonymous ones count their events", () => {
  const { identities } = userRecord({ ...parts, report: { tags: ["vip"] } });
  expect(identities).toMatchObject([
    { provider: "email", email: "ann@example.com", stats: {}, tags: ["vip"] },
    { provider: "anonymous", uid: "a", stats: { events: 3 }, tags: ["vip"] },
  ]);
  const unseen = { ...user, identifiers: { anonymous_id: ["constructor"] } };
  expect(userRecord({ ...parts, user: unseen }).identities).toMatchObject([{ stats: { events: 0 } }]);
});

test("marks of the user are part of the record", () => {
  const marks = { isAdmin: true, approved: false, notifications: { mail: false } };
  expect(userRecord({ ...parts, marks })).toMatchObject({
    is_admin: true,
    approved: false,
    settings: { notifications: { mail: false } },
  });
  expect(userRecord(parts)).toMatchObject({ is_admin: false, approved: true, settings: { notifications: {} } });
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
