import {
  type AccountClaims,
  DAY_MS,
  type SubjectType,
  type UserClaims,
  withUserAttributePrefix,
} from "@muster/protocol";
import { loadAttributes } from "../../audience/attribute-definitions.js";
import type { EndUserAllowance } from "../../domain/attributes/apply-traits.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { WorkingState } from "../../domain/entries/working-state.js";
import { type ClaimedIdentifier, claimedIdentifiers, identifierKey } from "../../domain/identity/identifiers.js";
import { Roster } from "../../domain/identity/roster.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { countDefinedByEndUsers } from "../../storage/postgres/definitions/attribute-definitions.js";
import { loadKnownEvents } from "../../storage/postgres/ingest/event-keys.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { ApplyRules } from "./apply-rules.js";

/** Loads the stored state of everything that the entries name. */
export async function loadWorkingState(
  tx: Transaction,
  organizationId: string,
  entries: readonly Entry[],
  rules: ApplyRules,
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
  const [known, userAttributes, accountAttributes, knownEvents, endUserAllowance] = await Promise.all([
    loadProfiles(tx, "user", organizationId, wantedUsers),
    loadAttributes(tx, organizationId, "user", rules.maxAttributes),
    loadAttributes(tx, organizationId, "account", rules.maxAttributes),
    loadKnownEvents(tx, organizationId, givenEventIds),
    writesByEndUser ? readAllowance(tx, organizationId, rules, now) : { newAttributes: 0 },
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
  const want = (claims: UserClaims | AccountClaims) => {
    if (claims.id !== undefined) ids.add(claims.id);
    for (const identifier of claimedIdentifiers(subjectType, claims)) {
      identifiers.set(identifierKey(identifier.kind, identifier.value), identifier);
    }
  };
  for (const entry of entries) {
    const claims = entry[subjectType];
    if (claims) want(claims);
    // The body of an alias holds identifiers, and attributes may be identifiers too.
    if (entry.subject === subjectType && entry.type !== "track") want(identifiersIn(entry.body));
  }
  return { ids, identifiers: [...identifiers.values()] };
}

const IDENTIFYING = ["external_id", "email", "domain", "anonymous_id"] as const;

function identifiersIn(body: Record<string, unknown>): UserClaims {
  const found: UserClaims = {};
  for (const name of IDENTIFYING) {
    const value = body[name] ?? body[withUserAttributePrefix(name)];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}
