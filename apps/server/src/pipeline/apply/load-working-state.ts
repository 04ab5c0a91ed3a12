import type { SubjectType } from "@muster/protocol";
import { loadAllAttributes } from "../../audience/attributes/attribute-definitions.js";
import { loadEventPlans } from "../../audience/events/known-event-plans.js";
import { senderOf } from "../../domain/apply/name-sender.js";
import type { WorkingState } from "../../domain/apply/working-state.js";
import type { Entry } from "../../domain/entries/entry.js";
import { identifiersIn } from "../../domain/entries/identifiers-in.js";
import { hashedKeys, PastErasures, writtenAt } from "../../domain/erasure/past-erasures.js";
import { PlanProblems } from "../../domain/events/event-plan.js";
import { type ClaimedIdentifier, identifierKey } from "../../domain/identity/identifiers.js";
import { Roster } from "../../domain/identity/roster.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { findErasedHashes } from "../../storage/postgres/changes/erased-identifiers.js";
import type { Transaction } from "../../storage/postgres/database.js";
import type { ApplyBasis } from "../../storage/postgres/ingest/apply-basis.js";
import { loadKnownEvents } from "../../storage/postgres/ingest/event-keys.js";
import { loadKeptApart } from "../../storage/postgres/profiles/do-not-merge.js";
import { loadFormerIdentifiers } from "../../storage/postgres/profiles/former-identifiers.js";
import { loadHalves, loadHalvesOf, MAX_HALVES } from "../../storage/postgres/profiles/merge-halves.js";
import { readMerged } from "../../storage/postgres/profiles/merge-rows.js";
import { loadProfiles, readFormerIds, type Wanted } from "../../storage/postgres/profiles/profiles.js";
import type { OldLink, RowPlace } from "../../storage/postgres/profiles/save-profiles.js";
import type { ApplyRules } from "./apply-rules.js";
import { loadNewNames } from "./load-new-names.js";

// More than a micro-batch can make.
const MERGES_PER_CHANGE = 100_000;
export interface LoadedState extends WorkingState {
  /** Where the loaded users and accounts are stored, by id. */
  places: ReadonlyMap<string, RowPlace>;
  /** The accounts that records named, of loaded users whose account was merged since. */
  origins: ReadonlyMap<string, string>;
  /** The links of loaded users whose accounts were merged or erased, and whom they have not followed yet. */
  oldLinks: ReadonlyMap<string, OldLink>;
}

export interface LoadOptions {
  rules: ApplyRules;
  basis: ApplyBasis;
  /** The sequence of the change that the entries make. It orders merges. */
  sequence?: number;
  /** When an entry was received. */
  receivedAt(entry: Entry): number;
}

/** Loads the stored state of everything that the entries name. */
export async function loadWorkingState(
  tx: Transaction,
  organizationId: string,
  entries: readonly Entry[],
  { rules, basis, receivedAt, sequence = 0 }: LoadOptions,
): Promise<LoadedState> {
  const now = Date.now();
  const places = new Map<string, RowPlace>();
  const origins = new Map<string, string>();
  const oldLinks = new Map<string, OldLink>();
  const users = new Roster("user", rules, now, sequence * MERGES_PER_CHANGE);
  const accounts = new Roster("account", rules, now, sequence * MERGES_PER_CHANGE);
  const load = async (roster: Roster, wanted: Wanted): Promise<void> => {
    const loaded = await loadProfiles(tx, roster.subjectType, organizationId, wanted);
    for (const { profile, formerIds, place, relinkedFrom } of loaded) {
      if (places.has(profile.id)) continue;
      places.set(profile.id, place);
      if (relinkedFrom !== undefined) oldLinks.set(profile.id, { from: relinkedFrom, to: profile.accountId });
      if (profile.accountOrigin !== undefined && relinkedFrom !== profile.accountOrigin) {
        origins.set(profile.id, profile.accountOrigin);
      }
      roster.load(profile, formerIds);
    }
  };
  const namedUsers = namedIn("user", entries);
  const namedAccounts = namedIn("account", entries);

  const givenEventIds = entries.flatMap(({ overwrites, eventId, byEndUser }) =>
    overwrites && eventId && !byEndUser ? [eventId] : [],
  );
  const [attributes, eventPlans, knownEvents, erasures] = await Promise.all([
    loadAllAttributes(tx, organizationId, rules.maxAttributes, basis.revisions),
    loadEventPlans(tx, organizationId, basis.revisions.eventPlans),
    loadKnownEvents(tx, organizationId, givenEventIds),
    loadErasures(tx, organizationId, entries, { rules, basis, receivedAt }),
    load(users, { ids: namedUsers.ids, identifiers: namedUsers.strongest }),
    load(accounts, { ids: namedAccounts.ids, identifiers: namedAccounts.strongest }),
  ]);
  const missing = (roster: Roster, { others }: Named) => ({
    ids: [],
    identifiers: others.filter((identifier) => !roster.knows(identifier)),
  });
  await Promise.all([load(users, missing(users, namedUsers)), load(accounts, missing(accounts, namedAccounts))]);
  // An entry about an account may name only a user of that account.
  if (entries.some(({ subject, account }) => subject === "account" && !account)) {
    const ids = new Set([...users.all()].flatMap(({ accountId }) => accountId ?? []));
    await load(accounts, { ids: [...ids].filter((id) => !places.has(id)), identifiers: [] });
  }
  if (entries.some(({ type }) => type === "incinerate")) {
    await loadFormer(tx, organizationId, users);
    await loadFormer(tx, organizationId, accounts);
  }
  await loadPartsOf(tx, organizationId, users, namedUsers);
  const linked = [...users.all()].flatMap(({ accountOrigin }) => accountOrigin ?? []);
  await loadPartsOf(tx, organizationId, accounts, namedAccounts, linked);
  const [undoing] = entries.filter(({ type }) => type === "unmerge");
  const mergedStates = undoing && (await loadForUnmerge(tx, organizationId, undoing, { users, accounts }, load));
  return {
    users,
    accounts,
    places,
    oldLinks,
    origins,
    ...(mergedStates ? { mergedStates } : {}),
    userAttributes: attributes.user,
    accountAttributes: attributes.account,
    eventPlans,
    planProblems: new PlanProblems(),
    knownEvents: new Map([...knownEvents].map(([id, known]) => [id, eventPlans.underCurrentName(known)])),
    erasures,
    maxValueBytes: rules.maxValueBytes,
    newNames: await loadNewNames(tx, organizationId, entries, { rules, attributes, now }),
    joinsByHints: basis.joinsByHints,
    senderOf: (entry) => senderOf(entry, rules.hash),
    ...rules.readers,
  };
}

/** Loads the identifiers that the profiles in memory had before. An erasure of one of them concerns these too. */
async function loadFormer(tx: Transaction, organizationId: string, roster: Roster): Promise<void> {
  const profiles = [...roster.all()];
  const merged = await readFormerIds(
    tx,
    organizationId,
    profiles.map(({ id }) => id),
  );
  const profileOf = new Map(
    profiles.flatMap((profile) => [profile.id, ...(merged.get(profile.id) ?? [])].map((id) => [id, profile])),
  );
  const former = await loadFormerIdentifiers(tx, roster.subjectType, organizationId, [...profileOf.keys()]);
  for (const { ownerId, ...identifier } of former) roster.former.load(profileOf.get(ownerId)!, [identifier]);
}

/**
 * Loads the halves that the entries name, and what was decided about merges. Profiles that were never merged have neither, so
 * almost always nothing is asked.
 */
async function loadPartsOf(
  tx: Transaction,
  organizationId: string,
  roster: Roster,
  { ids: named, strongest, others }: Named,
  linked: readonly string[] = [],
): Promise<void> {
  const merged: string[] = [];
  const keptApart: string[] = [];
  for (const { id, hasHalves, isKeptApart } of roster.all()) {
    if (hasHalves) merged.push(id);
    if (isKeptApart) keptApart.push(id);
  }
  const { subjectType } = roster;
  if (merged.length > 0) {
    const wanted = { ids: [...merged, ...named, ...linked], identifiers: [...strongest, ...others] };
    for (const { half, identifiers } of await loadHalves(tx, subjectType, organizationId, wanted)) {
      roster.halves.load(half, identifiers);
    }
  }
  if (keptApart.length > 1) {
    for (const pair of await loadKeptApart(tx, organizationId, keptApart)) roster.keptApart.add(pair);
  }
}

/** Loads all halves of the subject whose merge an entry undoes, and the accounts that they name. */
async function loadForUnmerge(
  tx: Transaction,
  organizationId: string,
  entry: Entry,
  { users, accounts }: Pick<WorkingState, "users" | "accounts">,
  load: (roster: Roster, wanted: Wanted) => Promise<void>,
): Promise<Map<string, Profile>> {
  const roster = entry.subject === "user" ? users : accounts;
  const subject = roster.lookup(entry[entry.subject] ?? {});
  const states = new Map<string, Profile>();
  if (!subject?.hasHalves) return states;
  const halves = await loadHalvesOf(tx, roster.subjectType, organizationId, subject.id, MAX_HALVES + 1);
  // The domain then does not find the half, and refuses the entry.
  if (halves.length > MAX_HALVES) return states;
  for (const { half, identifiers } of halves) roster.halves.load(half, identifiers);
  const linked = halves.flatMap(({ half: { profile } }) => profile.accountOrigin ?? profile.accountId ?? []);
  if (entry.subject === "user") await load(accounts, { ids: new Set(linked), identifiers: [] });
  const mergedId = String(entry.body.merged_id);
  const merged = await readMerged(tx, roster.subjectType, organizationId, mergedId);
  if (merged) states.set(mergedId, merged.profile);
  return states;
}

interface Named {
  ids: Iterable<string>;
  /** The strongest identifier by which each entry names its subject. */
  strongest: readonly ClaimedIdentifier[];
  /** The other identifiers. Nearly always the profiles that are found by the strongest ones have them. */
  others: readonly ClaimedIdentifier[];
}

/** Every id and identifier of users, or of accounts, that the entries name. */
function namedIn(subjectType: SubjectType, entries: readonly Entry[]): Named {
  const ids = new Set<string>();
  const strongest = new Map<string, ClaimedIdentifier>();
  const others = new Map<string, ClaimedIdentifier>();
  for (const entry of entries) {
    const named = identifiersIn(subjectType, entry);
    for (const id of named.ids) ids.add(id);
    let wanted = named.ids.length === 0 ? strongest : others;
    for (const identifier of named.identifiers) {
      wanted.set(identifierKey(identifier.kind, identifier.value), identifier);
      wanted = others;
    }
  }
  return { ids, strongest: [...strongest.values()], others: [...others.values()] };
}

/** The erasures that the entries may be older than. Almost always there are none, and then nothing is hashed. */
async function loadErasures(
  tx: Transaction,
  organizationId: string,
  entries: readonly Entry[],
  { rules: { hash }, basis: { lastErasure }, receivedAt }: LoadOptions,
): Promise<PastErasures> {
  const oldest = entries.reduce((time, entry) => Math.min(time, writtenAt(entry, receivedAt(entry))), Date.now());
  const isNeeded = lastErasure !== null && lastErasure > Math.floor(oldest);
  const hashes = isNeeded
    ? entries.flatMap((entry) => [...hashedKeys("user", entry, hash), ...hashedKeys("account", entry, hash)])
    : [];
  return new PastErasures({ hash, receivedAt, known: await findErasedHashes(tx, organizationId, hashes) });
}
