import type { SubjectType } from "@muster/protocol";
import { isStandardField } from "@muster/query";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import { readValue, sameValue } from "../attributes/attribute-values.js";
import { convertValue } from "../attributes/convert-value.js";
import { settableFieldType } from "../attributes/standard-fields.js";
import { identifiersOf } from "../identity/identifier-owners.js";
import type { Roster } from "../identity/roster.js";
import { type Cell, copyProfile, type Profile } from "../profiles/profile.js";
import { readSource } from "../profiles/written-by.js";
import { cellOf, cellsOf, noteOf, sameCell } from "../undo/noted-cell.js";
import type { NotedCell, SubjectNotes, WriterNotes } from "../undo/undo-notes.js";
import { isOfJob } from "../undo/undo-recorder.js";
import {
  cellBefore,
  formerCell,
  formerOfMerged,
  type InsteadOf,
  isBy,
  type LateCells,
  notedBefore,
  type Writer,
} from "./former-cell.js";
import { tallySubject, tallyValue, type UndoTally } from "./undo-tally.js";

/** What taking back needs to know of the rest. */
export interface TakeBackContext {
  users: Roster;
  accounts: Roster;
  definitions: Record<SubjectType, Pick<AttributeDefinitions, "get">>;
  writer: Writer;
  /** The writer is a job that brought events: they have made their users look active. */
  bringsEvents: boolean;
  tally: UndoTally;
  /** Notes of what this undo does, so that it can be undone too. */
  own: WriterNotes;
  /** Values that lost against the writer's, by the id under which they were noted, and by attribute. */
  late(id: string, name: string): LateCells;
  instead(id: string, name: string): InsteadOf;
  /** Whether any value of a subject has lost against the writer's: then others know the subject. */
  hasLate(id: string): boolean;
  /** The source of the undo. */
  source: string;
  /** Why others need a subject that the writer created: somebody has commented on it, or users are linked to it. */
  isNeeded(profile: Profile): boolean;
  /** Called when a user loses its link to an account, or is removed. */
  onUnlink(accountId: string): void;
  serialise(profile: Profile): string;
  parse(subjectType: SubjectType, id: string, state: string): Profile;
}

/** Takes back what the writer has done to a subject, as one note says. Notes are taken back from the latest to the first. */
export function takeBack(subjectType: SubjectType, id: string, notes: SubjectNotes, context: TakeBackContext): void {
  const roster = subjectType === "user" ? context.users : context.accounts;
  if (notes.removed !== undefined && !roster.find(id)) makeAgain(subjectType, id, notes.removed, roster, context);
  const known = roster.find(id);
  if (!known) return;
  const profile = roster.current(known);
  const wasTouched = isTouchedSince(profile, context.writer);
  for (const [name, noted] of cellsOf(notes)) {
    const restored = notes.restored && (notes.restored[name] ?? null);
    if (restored === undefined)
      takeCell(profile, name, notedBefore(noted, context.instead(id, name)), id, roster, context);
    else put(profile, name, cellBefore(profile.cells.get(name), noted, restored), roster, context);
    takeCellOfHalf(profile, name, noted, restored, id, roster, context);
  }
  if (notes.added) takeIdentifiers(profile, notes.added, wasTouched, roster, context);
  for (const [kind, value] of notes.taken ?? []) {
    if (profile.identifiers[kind]?.includes(value) || !roster.claimIfFree(profile, kind, value)) continue;
    const own = ownNotes(profile, context);
    own.added ??= [];
    own.added.push([kind, value]);
  }
  if (notes.link) takeLink(profile, notes.link, context);
  if (notes.isNew) takeCreation(profile, id, notes, roster, context);
}

/** Takes a value of the writer back, as a note under the given id says. */
function takeCell(
  profile: Profile,
  name: string,
  noted: NotedCell | null,
  id: string,
  roster: Roster,
  context: TakeBackContext,
): void {
  const { writer } = context;
  const present = profile.cells.get(name);
  const late = context.late(id, name);
  const former = formerCell(name, present, noted, late, writer);
  if (former === "stays") {
    const ofMerged = profile.merges.count > 0 ? formerOfMerged(present, noted, writer) : present;
    put(profile, name, ofMerged === present ? "stays" : ofMerged, roster, context);
    if (present && isOfJob(present.written.source) && writer.at !== undefined) {
      // When that job is undone too, what it has replaced is not to come back.
      const notes = roster.undo.of(profile, present.written.source);
      notes.instead ??= {};
      notes.instead[name] = [...(notes.instead[name] ?? []), [writer.source, noted, context.source]];
    }
    return;
  }
  put(profile, name, former, roster, context);
  if (!former || late.length === 0) return;
  // The value that is left may be another job's, which can be undone too: then these count again.
  const before = noted ? cellOf(noted) : undefined;
  if (!sameCell(before, former)) roster.undo.noteWrite(profile, name, before, former.written, true);
  for (const [other, onlyIfNull] of late) {
    const cell = cellOf(other);
    if (!sameCell(cell, former)) roster.undo.noteLate(profile, name, cell, former, onlyIfNull === 1);
  }
}

/** What a merged subject would be without the merge follows, as far as the note is about the half with this id. */
function takeCellOfHalf(
  { subjectType, hasHalves }: Profile,
  name: string,
  noted: NotedCell | null,
  restored: NotedCell | null | undefined,
  id: string,
  roster: Roster,
  context: TakeBackContext,
): void {
  const half = hasHalves ? roster.halves.find(id)?.profile : undefined;
  if (!half) return;
  const present = half.cells.get(name);
  const former =
    restored === undefined
      ? formerCell(name, present, notedBefore(noted, context.instead(id, name)), context.late(id, name), context.writer)
      : cellBefore(present, noted, restored);
  if (former === "stays" || isGone(subjectType, name, context)) return;
  if (former) half.cells.set(name, fitting(subjectType, name, former, context));
  else half.cells.delete(name);
  roster.halves.touch(half);
}

/** Puts a cell in the place of the present one, and notes both. */
function put(
  profile: Profile,
  name: string,
  former: Cell | undefined | "stays",
  roster: Roster,
  context: TakeBackContext,
): void {
  const { subjectType, id } = profile;
  const present = profile.cells.get(name);
  const from = present?.value ?? null;
  if (former === "stays" || isGone(subjectType, name, context)) {
    tallyValue(context.tally, "stayed", { subject: subjectType, id, attribute: name, from, to: from });
    return;
  }
  const cell = former && fitting(subjectType, name, former, context);
  const to = cell?.value ?? null;
  if (sameCell(present, cell)) return;
  // A value may have been written again without a change. Then only its time and its writer return.
  if (!sameValue(from, to)) {
    const what = to === null ? "unset" : "returned";
    tallyValue(context.tally, what, { subject: subjectType, id, attribute: name, from, to });
  }
  const own = ownNotes(profile, context);
  own.cells ??= {};
  own.restored ??= {};
  if (!Object.hasOwn(own.cells, name)) own.cells[name] = present ? noteOf(present) : null;
  own.restored[name] = cell ? noteOf(cell) : null;
  roster.sizes.note(profile, name, to);
  if (sameValue(from, to)) roster.touch(profile);
  else roster.noteChange(profile, name, from);
  if (cell) profile.cells.set(name, cell);
  else profile.cells.delete(name);
}

/** Whether an attribute was deleted since its value was noted. Standard fields have no definition. */
function isGone(subjectType: SubjectType, name: string, { definitions }: TakeBackContext): boolean {
  if (isStandardField(subjectType, name)) return false;
  const definition = definitions[subjectType].get(name);
  return definition === undefined || definition.removing === true;
}

/** A value as the attribute's type has it, which may have changed since the value was written. */
function fitting(subjectType: SubjectType, name: string, cell: Cell, { definitions }: TakeBackContext): Cell {
  const type = settableFieldType(subjectType, name) ?? definitions[subjectType].get(name)?.type;
  if (type === undefined || cell.value === null || readValue(type, cell.value).ok) return cell;
  const converted = convertValue(type, cell.value);
  return { ...cell, value: converted.ok ? converted.value : null };
}

function takeIdentifiers(
  profile: Profile,
  added: NonNullable<SubjectNotes["added"]>,
  wasTouched: boolean,
  roster: Roster,
  context: TakeBackContext,
): void {
  for (const [kind, value] of added) {
    if (!profile.identifiers[kind]?.includes(value)) continue;
    // Without any identifier, nobody could be found. And who has written since may have found the subject by this one.
    if (wasTouched || identifiersOf(profile).length === 1) {
      context.tally.identifiers_stayed += 1;
      continue;
    }
    context.tally.identifiers_removed += 1;
    const own = ownNotes(profile, context);
    own.taken ??= [];
    own.taken.push([kind, value]);
    roster.unalias(profile, { [kind]: value });
  }
}

/** Whether somebody else has written a subject, or has seen it active, after the writer. */
function isTouchedSince(profile: Profile, writer: Writer): boolean {
  const since = writer.at ?? writer.until;
  if ((profile.lastSeenAt ?? 0) > since) return true;
  return givenCells(profile).some(([, { written }]) => written.at > since && written.source !== writer.source);
}

/** The cells that somebody has given. Computed values follow from them and from events, so they say nothing of who knows a subject. */
function givenCells({ cells }: Pick<Profile, "cells">): [string, Cell][] {
  return [...cells].filter(([, { written }]) => readSource(written.source).computedId === null);
}

function takeLink(user: Profile, [before, after]: NonNullable<SubjectNotes["link"]>, context: TakeBackContext): void {
  const { users, accounts, tally } = context;
  const currentId = (id: string | null) => (id === null ? undefined : accountOf(accounts, id)?.id);
  if (user.linkedAt !== after[1] || user.accountId !== currentId(after[0])) return;
  const accountId = currentId(before[0]);
  if (user.accountId !== undefined) context.onUnlink(user.accountId);
  const own = ownNotes(user, context);
  own.link = [own.link?.[0] ?? [user.accountId ?? null, user.linkedAt], [accountId ?? null, before[1]]];
  if (user.accountId !== accountId) users.noteChange(user, "account_id", user.accountId ?? null);
  else users.touch(user);
  user.accountId = accountId;
  user.linkedAt = before[1];
  tally.links_returned += 1;
}

function accountOf(accounts: Roster, id: string): Profile | undefined {
  const account = accounts.find(id);
  const current = account && accounts.current(account);
  return current && !accounts.isRemoved(current) ? current : undefined;
}

/** A subject that the writer created is removed, unless others need it. Else it loses the writer's first values. */
function takeCreation(
  profile: Profile,
  id: string,
  { made }: SubjectNotes,
  roster: Roster,
  context: TakeBackContext,
): void {
  const { subjectType } = profile;
  const { writer, tally } = context;
  const before = made === undefined ? undefined : context.parse(subjectType, id, made);
  const isOwn = (cell: Cell, name: string) =>
    before
      ? sameCell(cell, before.cells.get(name))
      : isBy(writer, cell.written) && (!cell.beside || isBy(writer, cell.beside.written));
  const isUnused =
    profile.id === id &&
    profile.merges.count === 0 &&
    givenCells(profile).every(([name, cell]) => isOwn(cell, name)) &&
    !isActive(profile, context) &&
    !context.hasLate(id) &&
    !context.isNeeded(profile);
  if (isUnused) {
    tallySubject(tally, "subjects_removed", subjectType, id);
    ownNotes(profile, context).removed = context.serialise(profile);
    if (profile.accountId !== undefined) context.onUnlink(profile.accountId);
    roster.remove(profile);
    return;
  }
  tallySubject(tally, "subjects_stayed", subjectType, profile.id);
  if (made !== undefined) return;
  for (const [name, cell] of [...profile.cells]) {
    if (isBy(writer, cell.written)) {
      takeCell(profile, name, null, id, roster, context);
    }
  }
  if (subjectType === "user" && profile.accountId !== undefined && profile.linkedAt === writer.at) {
    const none: [null, number] = [null, 0];
    takeLink(profile, [none, [profile.accountId, profile.linkedAt]], context);
  }
  passCreationOn(profile, roster);
}

/** When only jobs are left that have written a subject, it goes with the last of them. */
function passCreationOn(profile: Profile, roster: Roster): void {
  const sources = new Set(givenCells(profile).map(([, { written }]) => written.source));
  if ([...sources].every(isOfJob)) for (const source of sources) roster.undo.of(profile, source).isNew = true;
}

/** Whether a user has events, or was seen by others than the writer. */
function isActive({ hasEvents, eventCounts, lastSeenAt }: Profile, { writer, bringsEvents }: TakeBackContext): boolean {
  if (hasEvents && (!eventCounts || Object.keys(eventCounts.byName).length > 0)) return true;
  if (lastSeenAt === undefined || bringsEvents) return false;
  // No record of a job makes its user active.
  return writer.at !== undefined || lastSeenAt > writer.until;
}

/** A subject that an undo removed comes back under its id, with those of its identifiers that nobody has by now. */
function makeAgain(
  subjectType: SubjectType,
  id: string,
  state: string,
  roster: Roster,
  context: TakeBackContext,
): void {
  const before = context.parse(subjectType, id, state);
  const identifiers = identifiersOf(before);
  const free = identifiers.filter(({ kind, value }) => !roster.lookup({ [kind]: value }));
  if (identifiers.length > 0 && free.length === 0) {
    tallySubject(context.tally, "subjects_stayed", subjectType, id);
    return;
  }
  const profile = roster.create(before.createdAt, undefined, id);
  const { identifiers: _identifiers, id: _id, subjectType: _type, ...rest } = copyProfile(before);
  // Computed values are computed anew: what they follow from may be different by now.
  const cells = new Map<string, Cell>();
  for (const [name, cell] of givenCells(rest)) {
    if (!isGone(subjectType, name, context)) cells.set(name, fitting(subjectType, name, cell, context));
  }
  Object.assign(profile, rest, { cells });
  profile.accountId = before.accountId === undefined ? undefined : accountOf(context.accounts, before.accountId)?.id;
  for (const { kind, value } of free) roster.claimIfFree(profile, kind, value);
  const own = ownNotes(profile, context);
  own.isNew = true;
  own.made = context.serialise(profile);
  tallySubject(context.tally, "subjects_restored", subjectType, id);
}

function ownNotes({ subjectType, id }: Profile, { own }: TakeBackContext): SubjectNotes {
  own[subjectType] ??= {};
  const subjects = own[subjectType];
  subjects[id] ??= {};
  return subjects[id];
}
