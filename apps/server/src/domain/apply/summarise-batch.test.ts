import { expect, test } from "vitest";
import { applyEntries } from "../../testing/apply-entries.js";
import { workingStateOf } from "../../testing/working-state-of.js";
import type { ChangeSet } from "../changes/change-set.js";
import type { Entry } from "../entries/entry.js";
import { Roster } from "../identity/roster.js";
import { createProfile } from "../profiles/profile.js";
import { summariseBatch } from "./summarise-batch.js";
import type { WorkingState } from "./working-state.js";

const LIMITS = { mergesPerDay: 50, maxAnonymousIds: 100, maxSubjectBytes: 1_000_000 };

function load(): WorkingState {
  const users = new Roster("user", LIMITS, 0);
  const ann = createProfile("user", "0a0000000000000000000001", 5);
  ann.identifiers = { external_id: ["ann"] };
  users.load(ann);
  return workingStateOf({ users, accounts: new Roster("account", LIMITS, 0), namesPerDay: 0 });
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

function changeAfter(entries: Entry[], isQuiet = false): ChangeSet {
  const state = load();
  const outcome = applyEntries(entries, state);
  return summariseBatch(outcome, state, { sequence: 1, now: 10, isQuiet, attributesChanged: "attributes_changed" });
}

function contextAfter(entries: Entry[]): unknown[] {
  return changeAfter(entries).events.map(({ context }) => context);
}

test("the event about changed attributes names their one writer once", () => {
  expect(contextAfter([traits("shop", { plan: "pro", size: 1 })])).toEqual([{ written_by: "shop" }]);
  expect(contextAfter([traits("shop", { plan: "pro" }, "job")])).toEqual([{ written_by: "shop/job" }]);
});

test("the event about changed attributes names the writer of each when there are several", () => {
  const entries = [traits("shop", { plan: "pro", size: 1 }), traits("crm", { size: 2 })];
  expect(contextAfter(entries)).toEqual([{ written_by_attribute: { plan: "shop", size: "crm" } }]);
});

test("a new user has all its values in the change, and an attribute that was set and unset is not among them", () => {
  const user = { external_id: "bob", email: "Bob@example.com" };
  const first = { ...traits("shop", { plan: "pro", size: 1, gone: "x" }), user, account: { domain: "acme.com" } };
  const change = changeAfter([first, { ...traits("shop", { size: 2, gone: null }), user }]);
  const [account] = change.accounts;
  expect(change.users).toEqual([
    {
      id: expect.any(String),
      isNew: true,
      changes: {
        account_id: [null, account?.id],
        email: [null, "Bob@example.com"],
        traits_plan: [null, "pro"],
        traits_size: [null, 2],
      },
      identifiers: { external_id: [null, "bob"] },
    },
  ]);
  expect(account).toMatchObject({ isNew: true, changes: { domain: [null, "acme.com"] } });
});

test("a change that nobody is notified of names its subjects without values, and the timeline still has them", () => {
  const bob = { ...traits("shop", { plan: "free" }), user: { external_id: "bob" } };
  const change = changeAfter([traits("shop", { plan: "pro" }), bob], true);
  expect(change).toMatchObject({ quiet: true, accounts: [] });
  expect(change.users).toEqual([
    { id: "0a0000000000000000000001", isNew: false, changes: {} },
    { id: expect.any(String), isNew: true, changes: {} },
  ]);
  expect(change.events.map(({ user_id, properties }) => ({ user_id, properties }))).toEqual([
    { user_id: "0a0000000000000000000001", properties: { changes: { plan: { from: null, to: "pro" } } } },
  ]);
});
