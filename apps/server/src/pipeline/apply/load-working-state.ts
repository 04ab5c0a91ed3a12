import { DAY_MS, type SubjectType } from "@muster/protocol";
import { loadAttributes } from "../../audience/attribute-definitions.js";
import type { EndUserAllowance } from "../../domain/attributes/apply-traits.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { WorkingState } from "../../domain/entries/working-state.js";
import { type ClaimedIdentifier, identifierKey } from "../../domain/identity/identifiers.js";
import { identifiersIn } from "../../domain/identity/identifiers-in.js";
import { hashedKeys, PastErasures, writtenAt } from "../../domain/identity/past-erasures.js";
import { Roster } from "../../domain/identity/roster.js";
import { findErasedHashes, wasErasedAfter } from "../../storage/postgres/changes/erased-identifiers.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { countDefinedByEndUsers } from "../../storage/postgres/definitions/attribute-definitions.js";
import { loadKnownEvents } from "../../storage/postgres/ingest/event-keys.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { ApplyRules } from "./apply-rules.js";

/** Loads the stored state of everything that the entries name. `receivedAt` says when an entry was received. */
export async function loadWorkingState(
  tx: Transaction,
  organizationId: string,
  entries: readonly Entry[],
  rules: ApplyRules,
  receivedAt: (entry: Entry) => number,
): Promise<WorkingState> {
  const now = Date.now();
  const users = new Roster("user", rules, now);
  const accounts = new Roster("account", rules, now);
  const wantedUsers = wantedOf("user", entries);
  const wantedAccounts = wantedOf("account", entries);

  const writesByEndUser = entries.some(({ byEndUser, type }) => byEndUser && type === "traits");
  const givenEventIds = entries.flatMap(({ overwrites, eventId, byEndUser }) =>
    overwrites && eventId && !byEndUser ? [eventId] : [],
  );
  const [known, userAttributes, accountAttributes, knownEvents, endUserAllowance, erasures] = await Promise.all([
    loadProfiles(tx, "user", organizationId, wantedUsers),
    loadAttributes(tx, organizationId, "user", rules.maxAttributes),
    loadAttributes(tx, organizationId, "account", rules.maxAttributes),
    loadKnownEvents(tx, organizationId, givenEventIds),
    writesByEndUser ? readAllowance(tx, organizationId, rules, now) : { newAttributes: 0 },
    loadErasures(tx, organizationId, entries, receivedAt, rules),
  ]);
  for (const { profile, formerIds } of known) {
    users.load(profile, formerIds);
    // An entry about an account may name only a user of that account.
    if (profile.accountId !== undefined) wantedAccounts.ids.add(profile.accountId);
  }
  for (const { profile, formerIds } of await loadProfiles(tx, "account", organizationId, wantedAccounts)) {
    accounts.load(profile, formerIds);
  }
  return {
    users,
    accounts,
    userAttributes,
    accountAttributes,
    knownEvents,
    erasures,
    maxValueBytes: rules.maxValueBytes,
    endUserAllowance,
    ...rules.readers,
  };
}

/** What is left of today's allowance of end users. Days begin at midnight UTC. */
async function readAllowance(
  tx: Transaction,
  organizationId: string,
  { endUserNewAttributesPerDay }: ApplyRules,
  now: number,
): Promise<EndUserAllowance> {
  const today = new Date(now - (now % DAY_MS));
  const used = await countDefinedByEndUsers(tx, organizationId, today);
  return { newAttributes: endUserNewAttributesPerDay - used };
}

/** Every id and identifier of users, or of accounts, that the entries name. */
function wantedOf(subjectType: SubjectType, entries: readonly Entry[]) {
  const ids = new Set<string>();
  const identifiers = new Map<string, ClaimedIdentifier>();
  for (const entry of entries) {
    const named = identifiersIn(subjectType, entry);
    for (const id of named.ids) ids.add(id);
    for (const identifier of named.identifiers) {
      identifiers.set(identifierKey(identifier.kind, identifier.value), identifier);
    }
  }
  return { ids, identifiers: [...identifiers.values()] };
}

/** The erasures that the entries may be older than. Almost always there are none, and then nothing is hashed. */
async function loadErasures(
  tx: Transaction,
  organizationId: string,
  entries: readonly Entry[],
  receivedAt: (entry: Entry) => number,
  { hash }: ApplyRules,
): Promise<PastErasures> {
  const oldest = entries.reduce((time, entry) => Math.min(time, writtenAt(entry, receivedAt(entry))), Date.now());
  const isNeeded = await wasErasedAfter(tx, organizationId, oldest);
  const hashes = isNeeded
    ? entries.flatMap((entry) => [...hashedKeys("user", entry, hash), ...hashedKeys("account", entry, hash)])
    : [];
  return new PastErasures({ hash, receivedAt, known: await findErasedHashes(tx, organizationId, hashes) });
}
