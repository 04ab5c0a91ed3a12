import { USER_MERGED, USER_UNMERGED } from "@muster/protocol";
import { attributeName } from "@muster/query";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import { type AttributeValue, sameValue } from "../attributes/attribute-values.js";
import type { AttributeChanges, ChangeSet, ProfileChange } from "../changes/change-set.js";
import { ownEvent } from "../events/own-event.js";
import type { StoredEvent } from "../events/stored-event.js";
import { undecidedOrigin } from "../events/undecided-origin.js";
import { identifierChanges } from "../identity/identifier-changes.js";
import type { Merge } from "../identity/merge.js";
import type { Roster } from "../identity/roster.js";
import type { Unmerge } from "../identity/undo-merge.js";
import { knownReportKey } from "../profiles/known-report-key.js";
import type { Profile } from "../profiles/profile.js";
import type { Outcome } from "./entry-application.js";
import { notesOfBatch } from "./notes-of-batch.js";
import type { PendingEvent } from "./track-event.js";
import type { WorkingState } from "./working-state.js";

export interface BatchMoment {
  /** The sequence of the change. */
  sequence: number;
  now: number;
  /** Connectors are not notified. */
  isQuiet: boolean;
  /** The name of the event about changed attributes. */
  attributesChanged: string;
}

export type SummarisedState = Pick<
  WorkingState,
  "users" | "accounts" | "userAttributes" | "accountAttributes" | "mergedStates"
>;

/** The changes of a micro-batch, once all its entries are applied. */
export function summariseBatch(outcome: Outcome, state: SummarisedState, moment: BatchMoment): ChangeSet {
  const { users, accounts } = state;
  const left = accountsLeft(users, moment.isQuiet);
  const { isQuiet, ...platform } = moment;
  const changesOf = (roster: Roster) => roster.changed().map((profile) => profileChange(profile, roster, isQuiet));
  const userChanges = changesOf(users);
  const accountChanges = changesOf(accounts);
  const undo = notesOfBatch(outcome, [users, accounts]);
  return {
    ...(isQuiet ? { quiet: true } : {}),
    users: isQuiet ? userChanges.map(withoutValues) : userChanges,
    accounts: isQuiet ? accountChanges.map(withoutValues) : accountChanges,
    events: [
      ...[...outcome.events.values()].flatMap((event) => finishEvent(event, users)),
      ...users.merges().flatMap((merge) => mergedEvent(merge, users, platform)),
      ...users.unmerges().flatMap((unmerge) => unmergedEvents(unmerge, platform)),
      ...[users, accounts].flatMap((roster) => changesSinceMerge(roster, state, platform)),
      ...attributeEvents(userChanges, state.users, state.userAttributes, platform),
      ...attributeEvents(accountChanges, state.accounts, state.accountAttributes, platform),
    ],
    replaced: [...outcome.replaced.values()],
    ...(outcome.lost.length > 0 ? { lost: outcome.lost } : {}),
    ...(left.length > 0 ? { left } : {}),
    ...(undo ? { undo } : {}),
    merges: [users, accounts].flatMap((roster) =>
      roster
        .merges()
        .filter(({ loser }) => !roster.isNew(loser))
        .map(({ survivor, loser }) => ({
          kind: roster.subjectType,
          survivor: roster.current(survivor).id,
          loser: loser.id,
          hasEvents: loser.hasEvents,
        })),
    ),
    ...unmergesOf([users, accounts]),
    removed: [users, accounts].flatMap((roster) =>
      roster
        .removed()
        .filter((profile) => roster.wasStored(profile))
        .map(({ subjectType: kind, id }) => ({ kind, id, formerIds: [] })),
    ),
  };
}

/** The accounts that users have left, as far as the changed values do not say it. */
function accountsLeft(users: Roster, isQuiet: boolean): string[] {
  const left = new Set<string>();
  const note = (accountId: AttributeValue | undefined) => {
    if (typeof accountId === "string") left.add(accountId);
  };
  const before = (user: Profile) => users.before.valuesOf(user).get("account_id");
  for (const user of users.removed()) {
    note(user.accountId);
    note(before(user));
  }
  for (const { loserBefore, loser } of users.merges()) {
    note(loserBefore.accountId);
    note(before(loser));
  }
  if (isQuiet) for (const user of users.changed()) note(before(user));
  return [...left];
}

/** Only messages to connectors contain values, so a change without messages stores none. */
function withoutValues({ id, isNew }: ProfileChange): ProfileChange {
  return { id, isNew, changes: {} };
}

function profileChange(profile: Profile, roster: Roster, isQuiet: boolean): ProfileChange {
  const isNew = roster.isNew(profile);
  // Even the timeline does not list the first values of a subject.
  if (isQuiet && isNew) return { id: profile.id, isNew, changes: {} };
  const identifiers = identifierChanges(isNew ? {} : roster.before.identifiersOf(profile), profile.identifiers);
  return {
    id: profile.id,
    isNew,
    changes: isNew ? firstValues(profile) : changedValues(profile, roster),
    ...(Object.keys(identifiers).length > 0 ? { identifiers } : {}),
  };
}

function firstValues({ subjectType, cells, accountId }: Profile): AttributeChanges {
  const changes: AttributeChanges = {};
  if (accountId !== undefined) changes.account_id = [null, accountId];
  for (const [name, { value }] of cells) {
    if (value !== null && name !== "external_id") changes[knownReportKey(subjectType, name)] = [null, value];
  }
  return changes;
}

function changedValues(profile: Profile, roster: Roster): AttributeChanges {
  const changes: AttributeChanges = {};
  for (const [name, before] of roster.before.valuesOf(profile)) {
    // Reports show the identifier, whatever an attribute of that name says.
    if (name === "external_id") continue;
    const now = currentValue(profile, name);
    if (!sameValue(before, now)) changes[knownReportKey(profile.subjectType, name)] = [before, now];
  }
  return changes;
}

function currentValue(profile: Profile, name: string): AttributeValue {
  return name === "account_id" ? (profile.accountId ?? null) : (profile.cells.get(name)?.value ?? null);
}

function finishEvent(event: PendingEvent, users: Roster): StoredEvent[] {
  const user = event.user && users.current(event.user);
  if (!user || users.isRemoved(user)) return [];
  return [
    {
      id: event.id,
      event: event.event,
      ...(event.sentAs === undefined ? {} : { sent_as: event.sentAs }),
      event_id: event.eventId,
      event_source: event.source,
      event_type: event.type,
      created_at: new Date(event.createdAt).toISOString(),
      user_id: user.id,
      origin_id: event.isUndecided ? undecidedOrigin(event.originId) : event.originId,
      account_id: event.accountId ?? null,
      anonymous_id: event.anonymousId ?? null,
      session_id: event.sessionId ?? null,
      ...(event.entityId === undefined ? {} : { entity_id: event.entityId }),
      properties: event.properties,
      context: event.context,
    },
  ];
}

interface PlatformMoment extends Pick<BatchMoment, "attributesChanged"> {
  sequence: number;
  now: number;
}

function mergedEvent({ survivor, loser }: Merge, users: Roster, moment: PlatformMoment): StoredEvent[] {
  const current = users.current(survivor);
  if (users.isRemoved(current)) return [];
  return [
    ownEvent({
      ...USER_MERGED,
      subjectType: "user",
      subjectId: current.id,
      about: loser.id,
      // Older connectors read both ids from it.
      eventId: `${current.id}:${loser.id}:merged`,
      sequence: moment.sequence,
      at: moment.now,
      properties: {
        ...mergedUser("user", current),
        ...mergedUser("merged", loser),
        identifiers: current.identifiers,
        merged_identifiers: loser.identifiers,
      },
    }),
  ];
}

function unmergesOf(rosters: readonly Roster[]): Pick<ChangeSet, "unmerges"> {
  const unmerges = rosters.flatMap((roster) =>
    roster.unmerges().map(({ survivor, restored, restoredIds, undecidedEventsOf }) => ({
      kind: roster.subjectType,
      survivor: survivor.id,
      restored: restored.id,
      origins: [...restoredIds, ...[...restoredIds, ...undecidedEventsOf].map(undecidedOrigin)],
    })),
  );
  return unmerges.length > 0 ? { unmerges } : {};
}

/** Both users get the event. Its properties are named as those of a merge. */
function unmergedEvents({ survivor, restored }: Unmerge, moment: PlatformMoment): StoredEvent[] {
  return [survivor, restored].map(({ id }) =>
    ownEvent({
      ...USER_UNMERGED,
      subjectType: "user",
      subjectId: id,
      about: id,
      eventId: `${survivor.id}:${restored.id}:unmerged:${moment.sequence}${id === survivor.id ? "" : ":restored"}`,
      sequence: moment.sequence,
      at: moment.now,
      properties: {
        ...mergedUser("user", survivor),
        ...mergedUser("unmerged", restored),
        identifiers: survivor.identifiers,
        unmerged_identifiers: restored.identifiers,
      },
    }),
  );
}

/** What records wrote to a subject while it was merged is a change of its own, so that its history has no gap. */
function changesSinceMerge(roster: Roster, state: SummarisedState, moment: PlatformMoment): StoredEvent[] {
  const definitions = roster.subjectType === "user" ? state.userAttributes : state.accountAttributes;
  const changed = roster.unmerges().flatMap(({ restored }) => {
    const before = state.mergedStates?.get(restored.id);
    if (!before) return [];
    const changes: AttributeChanges = {};
    for (const name of new Set(["account_id", ...before.cells.keys(), ...restored.cells.keys()])) {
      if (name === "external_id") continue;
      const [from, to] = [currentValue(before, name), currentValue(restored, name)];
      if (!sameValue(from, to)) changes[knownReportKey(roster.subjectType, name)] = [from, to];
    }
    return [{ id: restored.id, isNew: false, changes }];
  });
  return attributeEvents(changed, roster, definitions, moment);
}

/** A user of a merge, in the properties that older connectors read. */
function mergedUser(
  prefix: "user" | "merged" | "unmerged",
  { id, identifiers, cells }: Profile,
): Record<string, unknown> {
  return {
    [`${prefix}_id`]: id,
    [`${prefix}_email`]: cells.get("email")?.value ?? null,
    [`${prefix}_external_id`]: identifiers.external_id?.[0] ?? null,
    [`${prefix}_anonymous_ids`]: identifiers.anonymous_id ?? [],
  };
}

/** One event about changed attributes per profile that existed before, with the changes of tracked attributes. */
function attributeEvents(
  changed: ProfileChange[],
  roster: Roster,
  definitions: AttributeDefinitions,
  moment: PlatformMoment,
): StoredEvent[] {
  const { subjectType } = roster;
  const { sequence, now: at, attributesChanged: event } = moment;
  const events: StoredEvent[] = [];
  for (const { id, isNew, changes } of changed) {
    if (isNew) continue;
    const tracked: Record<string, { from: AttributeValue; to: AttributeValue }> = {};
    const names: string[] = [];
    for (const key of Object.keys(changes)) {
      const name = attributeName(subjectType, key);
      if (definitions.get(name)?.trackChanges === false) continue;
      const [from, to] = changes[key]!;
      tracked[name] = { from, to };
      names.push(name);
    }
    if (names.length === 0) continue;
    const properties = { changes: tracked };
    const context = writtenBy(roster.find(id), names);
    events.push(ownEvent({ event, subjectType, subjectId: id, about: id, sequence, at, properties, context }));
  }
  return events;
}

/**
 * Who wrote the changed attributes. It is nearly always one source, which is then named once. An attribute without a
 * cell, such as the account of a user, has no source.
 */
function writtenBy(profile: Profile | undefined, names: readonly string[]): Record<string, unknown> {
  let first: string | undefined;
  let isOne = true;
  for (const name of names) {
    const source = profile?.cells.get(name)?.written.source;
    if (source === undefined) continue;
    first ??= source;
    if (source !== first) isOne = false;
  }
  if (first === undefined) return {};
  if (isOne) return { written_by: first };
  const sources = names.flatMap((name) => {
    const source = profile?.cells.get(name)?.written.source;
    return source === undefined ? [] : [[name, source] as const];
  });
  return { written_by_attribute: Object.fromEntries(sources) };
}
