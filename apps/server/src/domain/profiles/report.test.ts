import { expect, test } from "vitest";
import { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import { type Cell, createProfile } from "./profile.js";
import { reportOf } from "./report.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const none = new AttributeDefinitions([], 10);
const cells = (values: Record<string, Cell["value"]>, at = NOW) =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, written: { at, source: "c" } }]));

test("a user's report has every standard field, with null for unknown values", () => {
  expect(reportOf(createProfile("user", "u", NOW - 1_000), none, NOW)).toEqual({
    id: "u",
    email: null,
    contact_email: null,
    external_id: null,
    anonymous_ids: [],
    name: null,
    first_name: null,
    last_name: null,
    username: null,
    description: null,
    phone: null,
    picture: null,
    tags: [],
    unproved_attributes: [],
    domain: null,
    address: null,
    created_at: "2026-05-01T11:59:59.000Z",
    updated_at: "2026-05-01T11:59:59.000Z",
    indexed_at: "2026-05-01T12:00:00.000Z",
    first_seen_at: null,
    last_seen_at: null,
    last_known_ip: null,
    account_id: null,
    first_session_id: null,
    latest_session_id: null,
    signup_session_id: null,
  });
});

test("custom attributes have a prefix in reports of users only, and standard fields never have one", () => {
  const values = { name: "N", plan: "pro", "crm/stage": "won" };
  const user = { ...createProfile("user", "u", 0), cells: cells(values) };
  expect(reportOf(user, none, NOW)).toMatchObject({ name: "N", traits_plan: "pro", "traits_crm/stage": "won" });
  const account = { ...createProfile("account", "a", 0), cells: cells(values) };
  expect(reportOf(account, none, NOW)).toMatchObject({ name: "N", plan: "pro", "crm/stage": "won" });
  expect(reportOf(account, none, NOW)).not.toHaveProperty("first_seen_at");
});

test("unset and hidden attributes are left out", () => {
  const hidden = new AttributeDefinitions(
    [{ name: "secret", type: "string", visible: false, trackChanges: true, serverOnly: null, byEndUser: false }],
    10,
  );
  const user = { ...createProfile("user", "u", 0), cells: cells({ gone: null, email: null, secret: "x", shown: "y" }) };
  const report = reportOf(user, hidden, NOW);
  expect(report).toMatchObject({ email: null, traits_shown: "y" });
  expect(Object.keys(report)).not.toEqual(expect.arrayContaining(["traits_gone", "traits_secret"]));
  expect(report).not.toHaveProperty("traits_secret");
});

test("external_id is the identifier, created_at can be set, and updated_at is the time of the last change or event", () => {
  const user = {
    ...createProfile("user", "u", NOW),
    identifiers: { external_id: ["1"], anonymous_id: ["a"] },
    cells: cells({ external_id: "claimed by another", created_at: "2020-01-01T00:00:00.000Z" }, NOW + 1_000),
    lastSeenAt: NOW + 2_000,
  };
  expect(reportOf(user, none, NOW)).toMatchObject({
    external_id: "1",
    anonymous_ids: ["a"],
    created_at: "2020-01-01T00:00:00.000Z",
    updated_at: "2026-05-01T12:00:02.000Z",
  });
});
