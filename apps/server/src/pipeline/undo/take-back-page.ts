import type { SubjectType } from "@muster/protocol";
import type { Outcome } from "../../domain/apply/entry-application.js";
import { summariseBatch } from "../../domain/apply/summarise-batch.js";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { InsteadOf, LateCells, Writer } from "../../domain/revert/former-cell.js";
import { takeBack } from "../../domain/revert/take-back.js";
import type { UndoTally } from "../../domain/revert/undo-tally.js";
import type { WriterNotes } from "../../domain/undo/undo-notes.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import { compress } from "../../storage/logs/compression.js";
import { appendChange } from "../../storage/postgres/changes/changes.js";
import type { Transaction } from "../../storage/postgres/database.js";
import type { ApplyBasis } from "../../storage/postgres/ingest/apply-basis.js";
import { readApplyCursors } from "../../storage/postgres/ingest/apply-cursors.js";
import { deleteEventKeys } from "../../storage/postgres/ingest/event-keys.js";
import { countLinkedUsers, findUsedByPeople } from "../../storage/postgres/profiles/needed-subjects.js";
import { parseProfile, serialiseProfile } from "../../storage/postgres/profiles/stored-profile.js";
import type { ApplyRules } from "../apply/apply-rules.js";
import { computeOwn } from "../apply/compute-own.js";
import { type LoadedState, loadWorkingState } from "../apply/load-working-state.js";
import { MAX_RELINKED_USERS } from "../apply/relink-page.js";
import { saveWorkingState } from "../apply/save-working-state.js";
import { naming } from "./naming-entries.js";
import { restoreEvents, takeEvents } from "./take-events.js";
import type { EventStep, UndoStep } from "./undo-step.js";

/** A page of what a change has noted of a writer. */
export interface UndoPage {
  steps: readonly UndoStep[];
  writer: Writer;
  bringsEvents: boolean;
  late(id: string, name: string): LateCells;
  instead(id: string, name: string): InsteadOf;
  hasLate(id: string): boolean;
  /** Whether an event is left out, because it was taken back already or is taken back with another step. */
  isLeftOut(step: EventStep): boolean;
  /** The source of the undo, under which its own notes are. */
  source: string;
}

export interface UndoRun {
  rules: ApplyRules;
  tally: UndoTally;
  /** How many users have lost their link to each account, as far as the tables do not show it. */
  unlinked: Map<string, number>;
  /** Of a dry run: subjects as its earlier pages have left them. The tables do not show that. */
  overlay?: { get(id: string): Profile | "removed" | undefined; set(id: string, profile: Profile | "removed"): void };
}

export interface TakenBack {
  state: LoadedState;
  outcome: Outcome;
  /** Notes of what was done, so that it can be undone. */
  own: WriterNotes;
  /** Keys of removed events, which are free again, and the record time of these. */
  freed: { keys: string[]; at: number };
  /** Restored events. */
  events: ChangeSet["events"];
}

/** Takes the steps of a page back in memory. */
export async function takePageBack(
  tx: Transaction,
  organizationId: string,
  page: UndoPage,
  { rules, basis, tally, unlinked, overlay }: UndoRun & { basis: ApplyBasis },
): Promise<TakenBack> {
  const entries = naming(page.steps);
  const state = await loadWorkingState(tx, organizationId, entries, { rules, basis, receivedAt: Date.now });
  if (overlay) applyOverlay(state, overlay);
  const outcome: Outcome = {
    events: new Map(),
    replaced: new Map(),
    lost: [],
    endUserEvents: [],
    rejections: [],
    dropped: [],
  };
  const own: WriterNotes = {};
  const subjects = page.steps.filter((step) => "notes" in step);
  const created = subjects.filter(({ notes }) => notes.isNew).map(({ id }) => id);
  const used = await findUsedByPeople(tx, organizationId, created);
  let linked = new Map<string, number>();
  const context = {
    users: state.users,
    accounts: state.accounts,
    definitions: { user: state.userAttributes, account: state.accountAttributes },
    writer: page.writer,
    bringsEvents: page.bringsEvents,
    tally,
    own,
    late: page.late,
    instead: page.instead,
    hasLate: page.hasLate,
    source: page.source,
    isNeeded: ({ id }: Profile) => used.has(id) || (linked.get(id) ?? 0) > (unlinked.get(id) ?? 0),
    onUnlink: (accountId: string) => unlinked.set(accountId, (unlinked.get(accountId) ?? 0) + 1),
    serialise: serialiseProfile,
    parse: (subjectType: SubjectType, id: string, stored: string) => parseProfile(subjectType, id, JSON.parse(stored)),
  };
  const eventSteps = page.steps.filter((step) => "event" in step).filter((step) => !page.isLeftOut(step));
  const freed = await takeEvents(tx, organizationId, eventSteps, { state, outcome, tally, own });
  // Accounts that come back must be there before their users; those that go must have lost their users.
  const comeBack = subjects.some(({ notes }) => notes.removed !== undefined);
  for (const kind of comeBack ? (["account", "user"] as const) : (["user", "account"] as const)) {
    if (kind === "account") {
      const accounts = subjects.filter(({ subjectType, notes }) => subjectType === kind && notes.isNew);
      const most = accounts.map(({ id }) => ({ id, limit: (unlinked.get(id) ?? 0) + 1 }));
      linked = await countLinkedUsers(tx, organizationId, most);
    }
    for (const { subjectType, id, notes } of subjects) {
      if (subjectType === kind) takeBack(subjectType, id, notes, context);
    }
  }
  const events = await restoreEvents(tx, organizationId, eventSteps, { state, tally, own });
  if (overlay) keepOverlay(state, page.steps, overlay);
  return { state, outcome, own, freed, events };
}

function applyOverlay({ users, accounts }: LoadedState, overlay: NonNullable<UndoRun["overlay"]>): void {
  for (const roster of [users, accounts]) {
    for (const profile of [...roster.all()]) {
      const known = overlay.get(profile.id);
      if (known === "removed") roster.remove(profile);
      else if (known) Object.assign(profile, known, { cells: new Map(known.cells) });
    }
  }
}

function keepOverlay(
  { users, accounts }: LoadedState,
  steps: readonly UndoStep[],
  overlay: NonNullable<UndoRun["overlay"]>,
): void {
  for (const step of steps) {
    const id = "event" in step ? step.event.user_id : step.id;
    const roster = "event" in step || step.subjectType === "user" ? users : accounts;
    const profile = roster.find(id);
    if (profile) overlay.set(profile.id, profile);
    else if (roster.removed().some((removed) => removed.id === id)) overlay.set(id, "removed");
  }
}

export interface StoringUndo {
  sequence: number;
  basis: ApplyBasis;
  rules: ApplyRules;
  metrics: Pick<Metrics, "formulaProblems">;
  /** The source of the undo, under which its own notes are. */
  source: string;
  /** Connectors are not notified: they were not told of what is taken back either. */
  isQuiet: boolean;
}

/** Stores what a page has taken back, as one change of the change log. Returns false when nothing has changed. */
export async function storeTakenBack(
  tx: Transaction,
  organizationId: string,
  { state, outcome, own, freed, events }: TakenBack,
  { sequence, basis, rules, metrics, source, isQuiet }: StoringUndo,
): Promise<boolean> {
  await computeOwn(tx, organizationId, state, { revision: basis.revisions.computed, metrics });
  const moment = { sequence, now: Date.now(), isQuiet, attributesChanged: rules.attributesChanged };
  const summary = summariseBatch(outcome, state, moment);
  const change: ChangeSet = {
    ...summary,
    // Values have the writers that they had. The history says that the undo has brought them back.
    events: [...summary.events.map((event) => ({ ...event, context: { written_by: source } })), ...events],
    ...(Object.keys(own).length > 0 ? { undo: { ...summary.undo, [source]: own } } : {}),
  };
  if (!isChange(change)) return false;
  const limits = { sequence, maxRelinkedUsers: MAX_RELINKED_USERS };
  await saveWorkingState(tx, organizationId, { state, change, outcome, rules, basis, mayComeBack: true }, limits);
  await deleteEventKeys(tx, organizationId, freed.keys, freed.at);
  // It has the position that bulk work has reached, because it must not claim that later entries are applied.
  const [cursor] = await readApplyCursors(tx, organizationId, [LANE.bulk]);
  const position = cursor?.position ?? 0;
  await appendChange(tx, organizationId, { sequence, lane: LANE.bulk, position, payload: compress(change) });
  return true;
}

function isChange({ users, accounts, events, replaced, removed, undo }: ChangeSet): boolean {
  return undo !== undefined || users.length + accounts.length + events.length + replaced.length + removed.length > 0;
}
