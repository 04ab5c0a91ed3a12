import type { AttributeTypes, FieldType } from "@muster/query";
import type { Evaluation, SegmentMoves } from "../../../domain/changes/change-set.js";
import type { StoredEvent } from "../../../domain/events/stored-event.js";
import type { Report } from "../../../domain/profiles/report.js";
import type { SubjectDocument } from "../projection.js";
import { accountDocument, eventOf, typesOf, userDocument } from "./steps.test.kit.js";

/** The documents of the cases. Ids are given by name: `id("ann")`. */

export const ORG = "000000000000000000000001";
/** An organization with the same ids and other values. A query that returns them has read the wrong organization. */
export const OTHER_ORG = "000000000000000000000002";
export const NOW = new Date("2024-06-15T12:00:00.000Z");

const IDS: readonly string[] = [
  ...["ann", "bob", "cat", "dan", "eve", "fay", "gus", "zed"],
  ...["acme", "globex", "bare"],
  ...["buyers", "readers", "nobody", "partners"],
];

export function id(name: string): string {
  const index = IDS.indexOf(name);
  if (index === -1) throw new Error(`The dataset has no "${name}".`);
  return `64000000${(index + 1).toString(16).padStart(16, "0")}`;
}

export function nameOf(hex: string): string {
  return IDS[Number.parseInt(hex.slice(8), 16) - 1] ?? hex;
}

const USER_TYPES: Readonly<Record<string, FieldType>> = {
  traits_plan: "string",
  traits_mrr: "numeric",
  traits_vip: "boolean",
  traits_renewal_at: "date",
  traits_born_at: "date",
  traits_langs: "array",
  traits_meta: "json",
  "traits_crm/stage": "string",
  traits_note: "string",
  traits_zip: "string",
  "traits_weird.key": "string",
  "traits_per%cent": "string",
  traits_ratings: "array",
};

const ACCOUNT_TYPES: Readonly<Record<string, FieldType>> = {
  plan: "string",
  employees: "numeric",
  vip: "boolean",
  signed_at: "date",
  industries: "array",
  "crm/owner": "string",
};

export const ATTRIBUTE_TYPES: AttributeTypes = {
  typeOf: (target, key) => {
    const types = target === "user" ? USER_TYPES : ACCOUNT_TYPES;
    return Object.hasOwn(types, key) ? types[key] : undefined;
  },
};

export const typeOf = typesOf({ user: USER_TYPES, account: ACCOUNT_TYPES });

function user(name: string, createdAt: string, account: string | undefined, fields: Report): SubjectDocument {
  return userDocument(id(name), fields, { createdAt, accountId: account && id(account), version: 2 });
}

function account(name: string, createdAt: string, fields: Report): SubjectDocument {
  return accountDocument(id(name), fields, { createdAt, version: 2 });
}

export const USERS: readonly SubjectDocument[] = [
  user("ann", "2024-01-01T00:00:00.000Z", "acme", {
    email: "ann@acme.com",
    name: "Ann Lee",
    external_id: "u-1",
    anonymous_ids: ["a-1", "a-2"],
    tags: ["beta", "vip"],
    last_seen_at: "2024-06-15T11:30:00.000Z",
    traits_plan: "pro",
    traits_mrr: 100,
    traits_vip: true,
    traits_renewal_at: "2024-06-15T00:00:00.000Z",
    traits_langs: ["en", "fr"],
    traits_ratings: [1, 5],
    traits_meta: { score: 7, kind: "gold star" },
    "traits_crm/stage": "Lead",
  }),
  user("bob", "2024-02-01T08:30:00.000Z", "acme", {
    email: "bob@globex.org",
    name: "Bob O'Neil",
    external_id: "u-2",
    last_seen_at: "2024-06-01T00:00:00.000Z",
    traits_plan: "free",
    traits_mrr: 0,
    traits_vip: false,
    traits_renewal_at: "2024-06-14T23:59:59.999Z",
    traits_langs: ["de"],
    traits_ratings: [10],
    "traits_crm/stage": "Customer",
  }),
  user("cat", "2024-06-14T23:00:00.000Z", "globex", {
    email: "cat@example.com",
    name: "Catherine de la Cruz",
    anonymous_ids: ["a-3"],
    traits_plan: "Pro",
    traits_mrr: 99.5,
    traits_renewal_at: "2024-06-30T12:00:00.000Z",
    traits_langs: ["FR", "es"],
    "traits_crm/stage": "lead",
  }),
  user("dan", "2024-06-15T11:00:00.000Z", undefined, {
    email: "dan.garcia+news@example.com",
    name: "José GARCÍA–Márquez",
    traits_plan: "",
    traits_mrr: -5,
    traits_vip: true,
    traits_langs: [],
    traits_note: "100% sure_thing \\ backslash",
  }),
  user("eve", "2024-06-15T00:00:00.000Z", "bare", {
    email: "EVE@Example.COM",
    name: null,
    traits_renewal_at: "2025-01-01T00:00:00.000Z",
    traits_born_at: "1999-12-31T23:00:00.000Z",
    traits_mrr: 1e6,
  }),
  user("fay", "2023-12-31T23:59:59.999Z", undefined, {
    name: "New York City 2024",
    traits_note: "line one\nline two\ttabbed",
    traits_zip: "01234",
    traits_born_at: "1950-03-10T00:00:00.000Z",
    "traits_weird.key": "dotted",
    "traits_per%cent": "escaped",
    traits_plan: "enterprise plus",
  }),
  user("gus", "2022-05-05T05:05:05.005Z", undefined, {}),
];

/** An old version of Ann, and a user that does not exist any more. Neither may be found. */
export const FORMER_USERS: readonly SubjectDocument[] = [
  {
    ...user("ann", "2020-01-01T00:00:00.000Z", "globex", {
      email: "old@acme.com",
      traits_plan: "stale",
      traits_zip: "01234",
    }),
    version: 1,
  },
  { ...user("zed", "2024-06-15T00:00:00.000Z", "acme", { traits_plan: "pro" }), version: 1 },
];

export const ACCOUNTS: readonly SubjectDocument[] = [
  account("acme", "2023-01-01T00:00:00.000Z", {
    name: "Acme Corporation",
    domain: "acme.com",
    external_id: "c-1",
    plan: "enterprise",
    employees: 500,
    vip: true,
    signed_at: "2023-02-01T00:00:00.000Z",
    industries: ["software", "retail"],
    "crm/owner": "Olga",
  }),
  account("globex", "2024-03-01T00:00:00.000Z", {
    name: "Globex",
    domain: "globex.com",
    employees: 50,
    vip: false,
    signed_at: "2024-06-10T00:00:00.000Z",
    industries: ["energy"],
  }),
  account("bare", "2024-06-01T00:00:00.000Z", { domain: "bare.io" }),
];

let eventCount = 0;

function event(
  owner: string,
  name: string,
  createdAt: string,
  properties: StoredEvent["properties"],
  more: Partial<StoredEvent> = {},
): StoredEvent {
  eventCount += 1;
  return eventOf(eventHex(eventCount), id(owner), {
    event: name,
    event_id: `e-${eventCount}`,
    created_at: createdAt,
    account_id: accountOf(owner),
    properties,
    ...more,
  });
}

function accountOf(owner: string): string | null {
  return [...USERS, ...FORMER_USERS].find(({ report }) => report.id === id(owner))?.accountId ?? null;
}

function eventHex(number: number): string {
  return `65000000${number.toString(16).padStart(16, "0")}`;
}

/** The name of an event by its id, for example `e-3`. */
export function eventNameOf(hex: string): string {
  return `e-${Number.parseInt(hex.slice(8), 16)}`;
}

export const EVENTS: readonly StoredEvent[] = [
  event(
    "ann",
    "Signed up",
    "2024-01-01T00:00:00.000Z",
    { plan: "trial", referred: true },
    { event_source: "api", session_id: "s-1" },
  ), // e-1
  event("ann", "Order", "2024-06-01T10:00:00.000Z", { amount: 10, currency: "EUR", items: ["shoe", "hat"] }), // e-2
  event("ann", "Order", "2024-06-10T10:00:00.000Z", { amount: 20.5, currency: "EUR", cart: { total: 99 } }), // e-3
  event("ann", "Order", "2024-06-14T13:00:00.000Z", {
    amount: 30,
    currency: "USD",
    shipped_on: "2024-06-15T09:00:00Z",
  }), // e-4
  event(
    "ann",
    "Page",
    "2024-06-15T11:00:00.000Z",
    { title: "Pricing and Plans" },
    { context: { page: { url: "/pricing" }, ip: "1.2.3.4" }, anonymous_id: "a-1" },
  ), // e-5
  event("bob", "Order", "2024-05-01T00:00:00.000Z", { amount: 5, currency: "eur", shipped_on: "2024-05-03" }), // e-6
  event("bob", "Page", "2024-06-14T12:00:00.000Z", { title: "Home" }), // e-7
  event("bob", "Page", "2024-06-15T12:00:00.000Z", { title: "Pricing" }), // e-8
  event("cat", "Order", "2024-06-15T00:00:00.000Z", { amount: "12", currency: "USD", "cart.total": 12, coupon: false }), // e-9
  event(
    "cat",
    "Email opened",
    "2024-06-15T01:00:00.000Z",
    { campaign: "June Sale" },
    { event_source: "mailer", event_type: "email" },
  ), // e-10
  event("dan", "Page", "2023-06-15T12:00:00.000Z", { title: "Home", ratings: [1, 20] }, { event_source: "" }), // e-11
];

/** e-12 belonged to Zed, then to Ann, then to Zed again. Later Zed was merged into Bob. */
export const MOVED_EVENT = event("zed", "Moved", "2024-06-02T00:00:00.000Z", {});
/** e-13 was overwritten by a later record. */
export const REPLACED_EVENT = event("gus", "Order", "2024-06-14T00:00:00.000Z", { amount: 1000 });

function move(segmentId: string, subjectType: SegmentMoves["subjectType"], entered: string[], left: string[] = []) {
  return {
    segmentId: id(segmentId),
    segmentName: segmentId,
    subjectType,
    entered: entered.map(id),
    left: left.map(id),
  };
}

export const ENTERED: Evaluation = {
  at: NOW.toISOString(),
  moves: [
    move("buyers", "user", ["ann", "bob", "dan"]),
    move("readers", "user", ["bob", "cat"]),
    move("partners", "account", ["acme"]),
  ],
};
export const LEFT: Evaluation = { at: NOW.toISOString(), moves: [move("buyers", "user", [], ["dan"])] };

/** The data of the other organization, with the same ids. */
export const STRANGERS = {
  users: [user("gus", "2024-06-15T00:00:00.000Z", "acme", { traits_plan: "pro", name: "Ann Lee" })],
  accounts: [account("bare", "2023-01-01T00:00:00.000Z", { plan: "enterprise", employees: 500 })],
  events: [
    event("gus", "Order", "2024-06-14T00:00:00.000Z", { amount: 1000 }),
    { ...event("gus", "Order", "2024-06-14T00:00:00.000Z", { amount: 1000 }), id: eventHex(11) },
  ],
  evaluation: {
    at: NOW.toISOString(),
    moves: [move("buyers", "user", ["gus"]), move("partners", "account", ["globex"])],
  },
};
