import { expect, test } from "vitest";
import { applyEntries } from "../../testing/apply-entries.js";
import { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import { PastErasures } from "../identity/past-erasures.js";
import { Roster } from "../identity/roster.js";
import { createProfile } from "../profiles/profile.js";
import type { Entry } from "./entry.js";
import { summariseBatch } from "./summarise-batch.js";
import type { WorkingState } from "./working-state.js";

const LIMITS = { mergesPerDay: 50, maxAnonymousIds: 100 };

function load(): WorkingState {
  const users = new Roster("user", LIMITS, 0);
  const ann = createProfile("user", "0a0000000000000000000001", 5);
  ann.identifiers = { external_id: ["ann"] };
  users.load(ann);
  return {
    users,
    accounts: new Roster("account", LIMITS, 0),
    userAttributes: new AttributeDefinitions([], 100),
    accountAttributes: new AttributeDefinitions([], 100),
    knownEvents: new Map(),
    erasures: new PastErasures({ hash: (text) => text, known: new Map(), receivedAt: () => 0 }),
    endUserAllowance: { newAttributes: 0 },
    maxValueBytes: 1_000,
    locate: () => undefined,
    readUserAgent: () => ({}),
  };
}

const traits = (connectorId: string, body: Entry["body"], jobId?: string): Entry => ({
  type: "traits",
  at: 9,
  connectorId,
  subject: "user",
  user: { external_id: "ann" },
  create: true,
  active: false,
  body,
  ...(jobId === undefined ? {} : { jobId }),
});

function contextAfter(entries: Entry[]): unknown[] {
  const state = load();
  const outcome = applyEntries(entries, state);
  return summariseBatch(outcome, state, 1, 10).events.map(({ context }) => context);
}

test("the event about changed attributes names their one writer once", () => {
  expect(contextAfter([traits("shop", { plan: "pro", size: 1 })])).toEqual([{ written_by: "shop" }]);
  expect(contextAfter([traits("shop", { plan: "pro" }, "job")])).toEqual([{ written_by: "shop/job" }]);
});

test("the event about changed attributes names the writer of each when there are several", () => {
  const entries = [traits("shop", { plan: "pro", size: 1 }), traits("crm", { size: 2 })];
  expect(contextAfter(entries)).toEqual([{ written_by_attribute: { plan: "shop", size: "crm" } }]);
});
