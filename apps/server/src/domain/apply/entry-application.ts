import type { AccountClaims, UserClaims } from "@muster/protocol";
import type { LostEvent } from "../changes/change-set.js";
import type { Entry } from "../entries/entry.js";
import type { EventKey } from "../events/stored-event.js";
import { speaksFor } from "../identity/identified.js";
import { aliasIdentifiers } from "../identity/identifiers.js";
import { isProved } from "../identity/proof.js";
import type { Roster } from "../identity/roster.js";
import { removeAliases, showAliases, showIdentifiers } from "../identity/shown-identifiers.js";
import { greatest } from "../profiles/known-numbers.js";
import type { Profile, Written } from "../profiles/profile.js";
import { applyTraitsToHalf, linkHalf, showAliasesOfHalf, showIdentifiersOfHalf } from "./apply-to-half.js";
import { applyTraits, type EndUserAllowance } from "./apply-traits.js";
import { applyUnmerge } from "./apply-unmerge.js";
import { importedEvent } from "./imported-event.js";
import { type PendingEvent, trackEvent } from "./track-event.js";
import type { WorkingState } from "./working-state.js";

/** An entry that cannot be applied, as a whole or in part. */
export interface Rejection {
  entry: Entry;
  code: "not_found" | "invalid_entry" | "invalid_call" | "invalid_attribute" | "identity_conflict" | "internal";
  message: string;
}

export interface Outcome {
  /** By our id of the event, so that a later record of this micro-batch can overwrite an earlier one. */
  events: Map<string, PendingEvent>;
  /** Stored rows that must be removed, by our id of the event and its name. */
  replaced: Map<string, EventKey>;
  /** Events that their users or accounts have lost. `countKeptEvents` adds them. */
  lost: LostEvent[];
  /** Events to which end users gave an id. `keepEndUserEvents` adds them to the events. */
  endUserEvents: { event: PendingEvent; entry: Entry }[];
  rejections: Rejection[];
  /** Entries that were dropped, as a whole or in part, because they are older than the erasure of their subject. */
  dropped: Entry[];
}

/** The outcome of no entries. */
export function noOutcome(): Outcome {
  return { events: new Map(), replaced: new Map(), lost: [], endUserEvents: [], rejections: [], dropped: [] };
}

/** What the browser library writes into an alias that comes from the query string of a page. */
const FROM_LINK = "link";
// The number of refused attributes that a rejection names. The others are counted.
const MAX_REASONS = 10;

/** Thrown when an error in our code stops an entry half way. The state is unusable then, because the entry is partly applied. */
export class EntryFault extends Error {
  override readonly name = "EntryFault";
  readonly entry: Entry;

  constructor(entry: Entry, cause: unknown) {
    super(`It could not be applied: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.entry = entry;
  }
}

/** Applies the entries of a micro-batch in order. */
export class EntryApplication {
  readonly outcome: Outcome = noOutcome();
  readonly #state: WorkingState;

  constructor(state: WorkingState) {
    this.#state = state;
  }

  /**
   * Applies the next entry. An entry that cannot be applied is listed with the reason, and the others go on. Throws
   * `EntryFault` when an error in our code stops the entry.
   */
  apply(given: Entry): void {
    const entry = this.#state.erasures.withoutErased(given);
    if (entry !== given) this.outcome.dropped.push(given);
    if (!entry) return;
    try {
      applyEntry(entry, this.#state, this.outcome);
    } catch (error) {
      throw new EntryFault(given, error);
    }
  }

  /** Lists an entry that is known to cause a fault, and does not apply it. */
  refuse({ entry, message }: EntryFault): void {
    this.outcome.rejections.push({ entry, code: "internal", message });
  }

  /** Returns what all entries together have done. Call it once, after the last entry. */
  finish(): Outcome {
    followAccounts(this.#state, this.outcome);
    return this.outcome;
  }
}

function applyEntry(entry: Entry, state: WorkingState, outcome: Outcome): void {
  const reject = (code: Rejection["code"], message: string) => outcome.rejections.push({ entry, code, message });
  const createdBefore = state.users.created;
  state.users.halves.begin();
  state.accounts.halves.begin();
  const written: Written = {
    at: entry.at,
    source: sourceOf(entry),
    ...(isProved(entry) ? {} : { unproved: true }),
  };
  const subject = resolveSubject(entry, written, state, (message) => {
    // The attributes of the entry are applied nevertheless, so a retry must not apply them again.
    const part = entry.type === "traits" ? partOf(entry, {}) : entry;
    outcome.rejections.push({ entry: part, code: "identity_conflict", message });
  });
  if (typeof subject === "string") {
    reject("not_found", subject);
    return;
  }
  const roster = entry.subject === "user" ? state.users : state.accounts;
  if (entry.active) {
    subject.lastSeenAt = greatest(subject.lastSeenAt, entry.at);
    roster.touch(subject);
    const half = roster.halves.named(subject)?.half.profile;
    if (half) {
      half.lastSeenAt = greatest(half.lastSeenAt, entry.at);
      roster.halves.touch(half);
    }
  }
  switch (entry.type) {
    case "traits":
      setAttributes(subject, entry, written, state, outcome);
      if (entry.announces) {
        const action = state.users.created > createdBefore ? "new" : "updated";
        const event = importedEvent(subject, entry, action, state.users);
        event.job = { source: written.source, at: entry.at };
        outcome.events.set(event.id, event);
      }
      return;
    case "track": {
      const event = trackEvent(subject, entry, written, state);
      if (typeof event === "string") {
        reject("invalid_entry", event);
        return;
      }
      if (entry.jobId !== undefined) event.job = { source: written.source, at: entry.at };
      if (entry.byEndUser && entry.overwrites) outcome.endUserEvents.push({ event, entry });
      else keepEvent(event, entry, state, outcome);
      return;
    }
    case "alias":
    case "unalias": {
      if (entry.byEndUser && !speaksFor(subject, entry[entry.subject] ?? {})) {
        reject(
          "identity_conflict",
          "A token that has only an anonymous id cannot change the identifiers of a known user.",
        );
        return;
      }
      const identifiers = aliasIdentifiers(entry.subject, entry.body);
      if (entry.byEndUser && entry.body.from === FROM_LINK && !state.joinsByHints) {
        reject(
          "identity_conflict",
          "An id in a link proves nothing: everybody can write such a link. A token that a connector signed is accepted in its place, and an organization can choose to join visitors by hints.",
        );
        return;
      }
      if (entry.type === "unalias") {
        removeAliases(subject, identifiers, written, roster);
        return;
      }
      roster.alias(subject, identifiers, (reason) => reject("identity_conflict", reason), {
        ...written,
        byEndUser: entry.byEndUser === true,
      });
      showAliases(subject, identifiers, written, roster);
      showAliasesOfHalf(subject, identifiers, written, roster);
      return;
    }
    case "unmerge": {
      const problem = applyUnmerge(subject, entry, roster, state);
      if (problem) reject("identity_conflict", problem);
      return;
    }
    case "incinerate":
      state.erasures.note(entry, entry.subject, roster.idsOf(subject), roster.remove(subject));
      return;
    default:
      // A newer server may have accepted the entry during an upgrade. It is listed, and can be retried.
      reject("invalid_entry", `This version of the server does not know entries of the type "${typeOf(entry)}".`);
  }
}

function typeOf({ type }: Pick<Entry, "type">): string {
  return type;
}

/** Applies the attributes of an entry. Those that are refused make one rejection, however many they are. */
function setAttributes(subject: Profile, entry: Entry, written: Written, state: WorkingState, outcome: Outcome): void {
  const isUser = entry.subject === "user";
  const refused: [string, unknown][] = [];
  const reasons: string[] = [];
  const context = {
    roster: isUser ? state.users : state.accounts,
    definitions: isUser ? state.userAttributes : state.accountAttributes,
    written,
    maxValueBytes: state.maxValueBytes,
    keepExisting: entry.keepExisting === true,
    ...(entry.byEndUser ? { endUser: endUserOf(entry, state) } : {}),
  };
  applyTraits(subject, entry.body, {
    ...context,
    onRefusal: (attribute, reason) => {
      refused.push([attribute, entry.body[attribute]]);
      reasons.push(`The attribute "${attribute.slice(0, 256)}" was refused: ${reason}.`);
    },
  });
  if (subject.hasHalves) applyTraitsToHalf(subject, entry.body, new Set(refused.map(([key]) => key)), context);
  if (reasons.length === 0) return;
  const message = [...reasons.slice(0, MAX_REASONS), ...moreReasons(reasons.length - MAX_REASONS)].join(" ");
  outcome.rejections.push({ entry: partOf(entry, Object.fromEntries(refused)), code: "invalid_attribute", message });
}

function endUserOf(entry: Entry, { newNames, joinsByHints, senderOf }: WorkingState): EndUserAllowance {
  return { newNames, sender: () => senderOf(entry), joinsByHints };
}

function moreReasons(count: number): string[] {
  if (count <= 0) return [];
  return [count === 1 ? "One more attribute was refused." : `${count} more attributes were refused.`];
}

/** Finds the subject of an entry, and creates and links it as the token says. Returns a sentence when there is none. */
function resolveSubject(
  entry: Entry,
  written: Written,
  state: WorkingState,
  onRefusal: (reason: string) => void,
): Profile | string {
  const { byEndUser = false } = entry;
  const create = entry.create && entry.type !== "incinerate" && entry.type !== "unmerge";
  const resolve = (roster: Roster, claims: UserClaims | AccountClaims) => {
    const profile = roster.resolve(claims, { create, ...written, byEndUser }, onRefusal);
    if (profile) {
      if (written.unproved) noteHint(profile, roster);
      showIdentifiers(profile, claims, written, roster);
      showIdentifiersOfHalf(profile, claims, written, roster);
    }
    return profile;
  };
  const user = entry.user && resolve(state.users, entry.user);
  const account = entry.account && resolve(state.accounts, entry.account);
  if (entry.user && !user) return `Nobody is known by ${describe(entry.user)}.`;
  if (entry.account && !account) return `No account is known by ${describe(entry.account)}.`;
  if (user && account) link(user, account, written, state);
  if (entry.subject === "user") return user ?? "The entry names no user.";
  if (account) return account;
  const linked = user?.accountId === undefined ? undefined : state.accounts.find(user.accountId);
  if (linked) state.accounts.halves.nameById(linked, user?.accountOrigin ?? linked.id);
  return linked ?? "The user is not linked to an account.";
}

/** Notes that a record without proof is about a profile, and about the half of it that the record names. */
function noteHint(profile: Profile, roster: Roster): void {
  if (!profile.hasHints) roster.touch(profile);
  profile.hasHints = true;
  roster.halves.noteHint(profile);
}

/**
 * Users and events of accounts that this micro-batch has merged get the survivor; those of erased accounts get none.
 */
function followAccounts({ users, accounts }: WorkingState, { events, endUserEvents }: Outcome): void {
  const moved = new Map<string, string | undefined>();
  for (const { loser, survivor } of accounts.merges()) moved.set(loser.id, accounts.find(survivor.id)?.id);
  for (const { id } of accounts.removed()) moved.set(id, undefined);
  if (moved.size === 0) return;
  for (const user of users.changed()) {
    if (user.accountId === undefined || !moved.has(user.accountId)) continue;
    users.noteChange(user, "account_id", user.accountId);
    const to = moved.get(user.accountId);
    user.accountOrigin = to === undefined ? undefined : (user.accountOrigin ?? user.accountId);
    user.accountId = to;
  }
  for (const event of [...events.values(), ...endUserEvents.map(({ event }) => event)]) {
    if (event.accountId !== undefined && moved.has(event.accountId)) event.accountId = moved.get(event.accountId);
  }
}

function link(user: Profile, account: Profile, written: Written, { users, accounts }: WorkingState): void {
  const { at } = written;
  const origin = accounts.halves.named(account)?.half.profile.id ?? account.id;
  linkHalf(user, account, origin, at, users);
  if (at < user.linkedAt) return;
  users.undo.noteLink(user, [user.accountId ?? null, user.linkedAt], [account.id, at], written);
  // For the same account, the time of its latest mention counts: an older record with another account must not move the
  // user.
  if (user.accountId === account.id) users.touch(user);
  else users.noteChange(user, "account_id", user.accountId ?? null);
  user.accountId = account.id;
  user.accountOrigin = origin === account.id ? undefined : origin;
  user.linkedAt = at;
}

/** Keeps an event. Of several records with the same given event id, the newest one is the event. */
function keepEvent(event: PendingEvent, entry: Entry, state: WorkingState, outcome: Outcome): void {
  if (entry.overwrites) {
    const known = state.knownEvents.get(event.eventId);
    if (known && (entry.once || known.recordedAt > entry.at)) return;
    if (known && (known.id !== event.id || known.event !== event.event)) {
      const { id, event: name, createdAt } = known;
      outcome.replaced.set(`${id} ${name}`, { id, event: name, createdAt });
      outcome.events.delete(id);
    }
    // An event that was overwritten may be recorded again.
    outcome.replaced.delete(`${event.id} ${event.event}`);
    state.knownEvents.set(event.eventId, {
      id: event.id,
      event: event.event,
      sentAs: event.sentAs,
      createdAt: event.createdAt,
      recordedAt: entry.at,
      stored: known?.stored,
    });
    event.overwrites = known?.stored;
    // All records of a job have one time, and hardly any other record has it.
    if (event.job && known?.stored && known.recordedAt === event.job.at) event.isAgain = true;
  }
  outcome.events.set(event.id, event);
}

/** The refused part of an entry, which can be retried. It makes no second `Imported User` event. */
function partOf({ announces: _announced, ...entry }: Entry, body: Entry["body"]): Entry {
  return { ...entry, body };
}

function sourceOf({ connectorId, jobId, memberId }: Entry): string {
  if (memberId !== undefined) return `//${memberId}`;
  return jobId === undefined ? connectorId : `${connectorId}/${jobId}`;
}

function describe(claims: UserClaims | AccountClaims): string {
  return Object.entries(claims)
    .map(([kind, value]) => `${kind} "${value}"`)
    .join(", ");
}
