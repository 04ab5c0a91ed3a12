import { type AccountClaims, type SubjectType, type UserClaims, withUserAttributePrefix } from "@muster/protocol";
import { loadAttributes } from "../../audience/attribute-definitions.js";
import type { Workbench } from "../../domain/entries/apply-entries.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { ContextReaders } from "../../domain/events/event-context.js";
import { type ClaimedIdentifier, claimedIdentifiers, identifierKey } from "../../domain/identity/identifiers.js";
import { Roster, type RosterLimits } from "../../domain/identity/roster.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { loadKnownEvents } from "../../storage/postgres/ingest/event-keys.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";

export interface WorkbenchOptions extends RosterLimits {
  readers: ContextReaders;
  maxAttributes: number;
  maxValueBytes: number;
}

/** Everything that the entries are about, as it is stored. */
export async function loadWorkbench(
  tx: Transaction,
  organizationId: string,
  entries: readonly Entry[],
  options: WorkbenchOptions,
): Promise<Workbench> {
  const now = Date.now();
  const users = new Roster("user", options, now);
  const accounts = new Roster("account", options, now);
  const wantedUsers = wantedOf("user", entries);
  const wantedAccounts = wantedOf("account", entries);

  const givenEventIds = entries.flatMap(({ overwrites, eventId }) => (overwrites && eventId ? [eventId] : []));
  const [known, userAttributes, accountAttributes, knownEvents] = await Promise.all([
    loadProfiles(tx, "user", organizationId, wantedUsers),
    loadAttributes(tx, organizationId, "user", options.maxAttributes),
    loadAttributes(tx, organizationId, "account", options.maxAttributes),
    loadKnownEvents(tx, organizationId, givenEventIds),
  ]);
  for (const { profile, formerIds } of known) {
    users.load(profile, formerIds);
    // An account's entry may name it by its user alone.
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
    maxValueBytes: options.maxValueBytes,
    ...options.readers,
  };
}

/** Every id and identifier of one kind that the entries name. */
function wantedOf(kind: SubjectType, entries: readonly Entry[]) {
  const ids = new Set<string>();
  const identifiers = new Map<string, ClaimedIdentifier>();
  const want = (claims: UserClaims | AccountClaims) => {
    if (claims.id !== undefined) ids.add(claims.id);
    for (const identifier of claimedIdentifiers(kind, claims)) {
      identifiers.set(identifierKey(identifier.kind, identifier.value), identifier);
    }
  };
  for (const entry of entries) {
    const claims = entry[kind];
    if (claims) want(claims);
    // Aliases name identifiers in their body, and so may attributes.
    if (entry.subject === kind && entry.type !== "track") want(identifiersIn(entry.body));
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
