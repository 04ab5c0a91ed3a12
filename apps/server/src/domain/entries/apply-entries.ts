import type { AccountClaims, UserClaims } from "@muster/protocol";
import { applyTraits } from "../attributes/apply-traits.js";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import { importedEvent } from "../bulk/imported-event.js";
import type { EventKey } from "../changes/change-set.js";
import type { ContextReaders } from "../events/event-context.js";
import { type PendingEvent, trackEvent } from "../events/track-event.js";
import { normalise } from "../identity/identifiers.js";
import { greatest } from "../identity/merge.js";
import type { Profile } from "../identity/profile.js";
import type { Roster } from "../identity/roster.js";
import type { Entry } from "./entry.js";

/** The event that is known under an id its sender gave, and when that was recorded. */
export interface KnownEvent extends EventKey {
  recordedAt: number;
}

/** Everything a micro-batch works on, loaded before, written after. */
export interface Workbench extends ContextReaders {
  users: Roster;
  accounts: Roster;
  userAttributes: AttributeDefinitions;
  accountAttributes: AttributeDefinitions;
  /** Events that the batch's given event ids stand for already. */
  knownEvents: Map<string, KnownEvent>;
  maxValueBytes: number;
}

export interface Rejection {
  entry: Entry;
  code: "not_found" | "invalid_entry" | "invalid_attribute" | "identity_conflict" | "internal";
  message: string;
}

export interface Outcome {
  /** By event id of ours, so that a record that overwrites one of this batch takes its place. */
  events: Map<string, PendingEvent>;
  /** Stored rows that must go, by event id of ours and name. */
  replaced: Map<string, EventKey>;
  rejections: Rejection[];
}

/** Applies entries in order. What cannot be applied is put aside with its reason and the rest goes on. */
export function applyEntries(entries: readonly Entry[], bench: Workbench): Outcome {
  const outcome: Outcome = { events: new Map(), replaced: new Map(), rejections: [] };
  for (const entry of entries) {
    try {
      applyEntry(entry, bench, outcome);
    } catch (error) {
      outcome.rejections.push({
        entry,
        code: "internal",
        message: `It broke the applier: ${(error as Error).message}`,
      });
    }
  }
  followAccounts(bench, outcome);
  return outcome;
}

function applyEntry(entry: Entry, bench: Workbench, outcome: Outcome): void {
  const reject = (code: Rejection["code"], message: string) => outcome.rejections.push({ entry, code, message });
  const knownUsers = bench.users.created;
  const subject = resolveSubject(entry, bench, (message) => {
    // Its attributes are applied all the same; trying it again must not add to them twice.
    const part = entry.type === "traits" ? partOf(entry, {}) : entry;
    outcome.rejections.push({ entry: part, code: "identity_conflict", message });
  });
  if (typeof subject === "string") {
    reject("not_found", subject);
    return;
  }
  const roster = entry.subject === "user" ? bench.users : bench.accounts;
  if (entry.active) {
    subject.lastSeenAt = greatest(subject.lastSeenAt, entry.at);
    roster.touch(subject);
  }
  switch (entry.type) {
    case "traits":
      applyTraits(subject, entry.body, {
        roster,
        definitions: entry.subject === "user" ? bench.userAttributes : bench.accountAttributes,
        at: entry.at,
        source: sourceOf(entry),
        maxValueBytes: bench.maxValueBytes,
        keepExisting: entry.keepExisting === true,
        onRefusal: (attribute, reason) => {
          const part = partOf(entry, { [attribute]: entry.body[attribute] });
          const message = `The attribute "${attribute.slice(0, 256)}" was refused: ${reason}.`;
          outcome.rejections.push({ entry: part, code: "invalid_attribute", message });
        },
      });
      if (entry.announces) {
        const action = bench.users.created > knownUsers ? "new" : "updated";
        const event = importedEvent(subject, entry, action, bench.users);
        outcome.events.set(event.id, event);
      }
      return;
    case "track": {
      const event = trackEvent(subject, entry, bench.users, bench);
      if (typeof event === "string") reject("invalid_entry", event);
      else keepEvent(event, entry, bench, outcome);
      return;
    }
    case "alias":
      roster.alias(subject, entry.body as UserClaims | AccountClaims, (reason) => reject("identity_conflict", reason));
      return;
    case "unalias":
      roster.unalias(subject, entry.body as UserClaims | AccountClaims);
      return;
    case "incinerate":
      roster.remove(subject);
      return;
  }
}

/** Finds whom an entry is about, creating and linking as its token says; a sentence when there is nobody. */
function resolveSubject(entry: Entry, bench: Workbench, onRefusal: (reason: string) => void): Profile | string {
  const options = { create: entry.create && entry.type !== "incinerate", at: entry.at };
  const user = entry.user && resolve(bench.users, entry, entry.user, options, onRefusal);
  const account = entry.account && resolve(bench.accounts, entry, entry.account, options, onRefusal);
  if (entry.user && !user) return `Nobody is known by ${describe(entry.user)}.`;
  if (entry.account && !account) return `No account is known by ${describe(entry.account)}.`;
  if (user && account) link(user, account, entry.at, bench.users);
  if (entry.subject === "user") return user ?? "The entry names no user.";
  if (account) return account;
  const linked = user?.accountId === undefined ? undefined : bench.accounts.find(user.accountId);
  return linked ?? "The user is not linked to an account.";
}

function resolve(
  roster: Roster,
  entry: Entry,
  claims: UserClaims | AccountClaims,
  options: { create: boolean; at: number },
  onRefusal: (reason: string) => void,
): Profile | undefined {
  const profile = roster.resolve(claims, options, onRefusal);
  if (!profile) return undefined;
  // What identifies somebody is also what is known about them.
  const { email, domain } = claims as UserClaims;
  const facts = {
    ...(email === undefined ? {} : { email: email.trim() }),
    ...(domain === undefined ? {} : { domain: normalise("domain", domain) }),
  };
  for (const [name, value] of Object.entries(facts)) {
    const cell = profile.cells.get(name);
    // Another value stands: somebody set it on purpose. The same one is as fresh as its latest mention.
    if (cell && (cell.at >= entry.at || (cell.value !== null && cell.value !== value))) continue;
    if (cell?.value === value) roster.touch(profile);
    else roster.noteChange(profile, name, null);
    profile.cells.set(name, { value, at: entry.at, source: sourceOf(entry) });
  }
  return profile;
}

/** Users linked to an account that was merged or erased within this micro-batch follow it. */
function followAccounts({ users, accounts }: Workbench, { events }: Outcome): void {
  const moved = new Map<string, string | undefined>();
  for (const { loser, survivor } of accounts.merges()) moved.set(loser.id, accounts.find(survivor.id)?.id);
  for (const { id } of accounts.removed()) moved.set(id, undefined);
  if (moved.size === 0) return;
  for (const user of users.changed()) {
    if (user.accountId === undefined || !moved.has(user.accountId)) continue;
    users.noteChange(user, "account_id", user.accountId);
    user.accountId = moved.get(user.accountId);
  }
  for (const event of events.values()) {
    if (event.accountId !== undefined && moved.has(event.accountId)) event.accountId = moved.get(event.accountId);
  }
}

function link(user: Profile, account: Profile, at: number, users: Roster): void {
  if (at < user.linkedAt) return;
  // The same account again is as fresh as its latest mention: an older record that names another must not move the user.
  if (user.accountId === account.id) users.touch(user);
  else users.noteChange(user, "account_id", user.accountId ?? null);
  user.accountId = account.id;
  user.linkedAt = at;
}

/** Of several records with one given event id the newest is the event. */
function keepEvent(event: PendingEvent, entry: Entry, bench: Workbench, outcome: Outcome): void {
  if (entry.overwrites) {
    const known = bench.knownEvents.get(event.eventId);
    if (known && known.recordedAt > entry.at) return;
    if (known && (known.id !== event.id || known.event !== event.event)) {
      const { id, event: name, createdAt } = known;
      outcome.replaced.set(`${id} ${name}`, { id, event: name, createdAt });
      outcome.events.delete(id);
    }
    // What was overwritten may be told once more.
    outcome.replaced.delete(`${event.id} ${event.event}`);
    bench.knownEvents.set(event.eventId, {
      id: event.id,
      event: event.event,
      createdAt: event.createdAt,
      recordedAt: entry.at,
    });
  }
  outcome.events.set(event.id, event);
}

/** The part of an entry that was refused: what there is to try again. Its import was told already. */
function partOf({ announces: _told, ...entry }: Entry, body: Entry["body"]): Entry {
  return { ...entry, body };
}

function sourceOf({ connectorId, jobId }: Entry): string {
  return jobId === undefined ? connectorId : `${connectorId}/${jobId}`;
}

function describe(claims: UserClaims | AccountClaims): string {
  return Object.entries(claims)
    .map(([kind, value]) => `${kind} "${value}"`)
    .join(", ");
}
