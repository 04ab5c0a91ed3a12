import { SEGMENT_EVENTS, withoutUserAttributePrefix } from "@muster/protocol";
import type { ChangeSet, ProfileChange, SegmentMoves } from "../../domain/changes/change-set.js";
import type { EventKey } from "../../domain/events/stored-event.js";
import type { LoggedChange } from "../../storage/postgres/changes/changes.js";
import { goneIds } from "../project/prepare-changes.js";

/** What has changed about a subject. A segment that asks about nothing of it keeps its answer. */
export interface Touch {
  /** Anything may have changed: the subject is new, gone or merged, or the change does not say. */
  isWhole: boolean;
  /** Something of the profile has changed, if only a field that changes do not list. */
  hasProfile: boolean;
  /** The fields that have changed, custom ones of users without `traits_`. */
  fields: Set<string>;
  /** The names of its new and former events. */
  events: Set<string>;
  /** The segments that it has entered or left. */
  segments: Set<string>;
}

export type Touches = ReadonlyMap<string, Touch>;

/** Subjects whose memberships may have changed. */
export interface TouchedSubjects {
  user: Touches;
  account: Touches;
  /** Subjects among the touched ones that do not exist any more. */
  gone: ReadonlySet<string>;
}

/** The subjects whose segments may have changed. Changes that evaluation itself has made touch nobody. */
export function touchedBy(changes: readonly LoggedChange[]): TouchedSubjects {
  const touched = { user: new Map<string, Touch>(), account: new Map<string, Touch>() };
  for (const { change } of changes) {
    touchProfiles(touched.user, change.users, change, withoutUserAttributePrefix);
    touchProfiles(touched.account, change.accounts, change, (key) => key);
    const formerNames = namesById(change.replaced);
    for (const { id, event, user_id, account_id } of change.events) {
      const names = [event, ...(formerNames.get(id) ?? [])];
      if (user_id !== "") touchEvents(touched.user, user_id, names);
      if (account_id !== null) touchEvents(touched.account, account_id, names);
    }
    for (const { event, userId, accountId } of change.lost ?? []) {
      if (userId !== null) touchEvents(touched.user, userId, [event]);
      if (accountId !== null) touchEvents(touched.account, accountId, [event]);
    }
    // The survivor has all that the loser had.
    for (const { kind, survivor } of change.merges) touchOf(touched[kind], survivor).isWhole = true;
    for (const { kind, survivor, restored } of change.unmerges ?? []) {
      for (const id of [survivor, restored]) touchOf(touched[kind], id).isWhole = true;
    }
  }
  const gone = { user: goneIds("user", changes), account: goneIds("account", changes) };
  for (const id of gone.user) touchOf(touched.user, id).isWhole = true;
  for (const id of gone.account) touchOf(touched.account, id).isWhole = true;
  return { ...touched, gone: new Set([...gone.user, ...gone.account]) };
}

function touchProfiles(
  touches: Map<string, Touch>,
  profiles: readonly ProfileChange[],
  { quiet }: ChangeSet,
  fieldOf: (reportKey: string) => string,
): void {
  for (const { id, isNew, changes } of profiles) {
    const touch = touchOf(touches, id);
    touch.hasProfile = true;
    // A quiet change stores no values.
    if (isNew || quiet) touch.isWhole = true;
    else for (const key of Object.keys(changes)) touch.fields.add(fieldOf(key));
  }
}

function namesById(events: readonly EventKey[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { id, event } of events) names.set(id, [...(names.get(id) ?? []), event]);
  return names;
}

function touchEvents(touches: Map<string, Touch>, id: string, names: readonly string[]): void {
  const { events } = touchOf(touches, id);
  for (const name of names) events.add(name);
}

/** What moves between segments have changed about those who moved: their segments, and the events about it. */
export function touchedByMoves(moves: readonly SegmentMoves[]): Touches {
  const touches = new Map<string, Touch>();
  const touch = (id: string, segmentId: string, event: string) => {
    const { segments, events } = touchOf(touches, id);
    segments.add(segmentId);
    events.add(event);
  };
  for (const { segmentId, entered, left } of moves) {
    for (const id of entered) touch(id, segmentId, SEGMENT_EVENTS.entered);
    for (const id of left) touch(id, segmentId, SEGMENT_EVENTS.left);
  }
  return touches;
}

function touchOf(touches: Map<string, Touch>, id: string): Touch {
  const known = touches.get(id);
  if (known) return known;
  const touch = {
    isWhole: false,
    hasProfile: false,
    fields: new Set<string>(),
    events: new Set<string>(),
    segments: new Set<string>(),
  };
  touches.set(id, touch);
  return touch;
}
