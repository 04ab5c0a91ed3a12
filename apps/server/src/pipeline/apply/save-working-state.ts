import type { Outcome } from "../../domain/apply/entry-application.js";
import type { WorkingState } from "../../domain/apply/working-state.js";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import { generalReason } from "../../domain/entries/general-reason.js";
import { decidedOrigin } from "../../domain/events/undecided-origin.js";
import type { Roster } from "../../domain/identity/roster.js";
import { saveChangeWriters } from "../../storage/postgres/changes/change-writers.js";
import { saveErasedHashes } from "../../storage/postgres/changes/erased-identifiers.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { markSeen, saveAttributes } from "../../storage/postgres/definitions/attribute-definitions.js";
import { savePlanProblems } from "../../storage/postgres/definitions/event-plans.js";
import { saveNewNames } from "../../storage/postgres/definitions/new-names.js";
import type { ApplyBasis } from "../../storage/postgres/ingest/apply-basis.js";
import { saveEventKeys } from "../../storage/postgres/ingest/event-keys.js";
import { saveRejections } from "../../storage/postgres/ingest/rejected-entries.js";
import {
  type AccountRelink,
  redirectRelinks,
  relinkUsers,
  saveRelinks,
} from "../../storage/postgres/profiles/account-relinks.js";
import { saveReturns } from "../../storage/postgres/profiles/account-returns.js";
import { deleteProfiles, eraseProfiles } from "../../storage/postgres/profiles/erase-profiles.js";
import { saveFormerIdentifiers } from "../../storage/postgres/profiles/former-identifiers.js";
import { saveHalves } from "../../storage/postgres/profiles/merge-halves.js";
import { saveIdentifiers, saveMerges } from "../../storage/postgres/profiles/profiles.js";
import { saveProfiles } from "../../storage/postgres/profiles/save-profiles.js";
import { saveUnmerge } from "../../storage/postgres/profiles/unmerge-rows.js";
import type { ApplyRules } from "./apply-rules.js";
import { defineEvents } from "./define-events.js";
import { startOfDay } from "./load-new-names.js";
import type { LoadedState } from "./load-working-state.js";

export interface AppliedBatch {
  state: LoadedState;
  change: ChangeSet;
  outcome: Outcome;
  rules: ApplyRules;
  basis: ApplyBasis;
  /** Removed profiles may come back: an undo has removed them, and can be undone. They are not erased from the logs. */
  mayComeBack?: true;
}

export interface SavingStep {
  /** The sequence of the change. */
  sequence: number;
  /** Most users that follow merged and erased accounts in this change. */
  maxRelinkedUsers: number;
}

export interface SavedState {
  /** How long the profiles are as JSON. */
  profilesLength: number;
  /** Users of merged or erased accounts are still to follow. */
  leavesRelinks: boolean;
}

/**
 * Writes the state that a micro-batch has changed. Adds to the change the former ids of erased subjects, and the users
 * that followed a merged or erased account.
 */
export async function saveWorkingState(
  tx: Transaction,
  organizationId: string,
  { state, change, outcome, rules, basis, mayComeBack }: AppliedBatch,
  { sequence, maxRelinkedUsers }: SavingStep,
): Promise<SavedState> {
  const { users, accounts, userAttributes, accountAttributes } = state;
  const now = Date.now();
  const saveRoster = async (roster: Roster): Promise<number> => {
    const [length] = await Promise.all([
      saveProfiles(
        tx,
        roster.subjectType,
        organizationId,
        roster.changed(),
        state.places,
        sequence,
        state.oldLinks,
        state.origins,
      ),
      saveIdentifiers(tx, roster.subjectType, organizationId, roster.identifierChanges()),
    ]);
    return length;
  };
  // These are sent together and run in this order. The rare ones follow one by one.
  const [, accountsLength, usersLength] = await Promise.all([
    saveRejections(
      tx,
      organizationId,
      outcome.rejections.map((rejection) => ({ ...rejection, reason: generalReason(rejection.message) })),
    ),
    saveRoster(accounts),
    saveRoster(users),
    saveAttributes(tx, organizationId, "user", userAttributes.added()),
    saveAttributes(tx, organizationId, "account", accountAttributes.added()),
    saveNewNames(tx, organizationId, startOfDay(now), state.newNames.changes()),
    markSeen(tx, organizationId, "user", userAttributes.takeSeen(now)),
    markSeen(tx, organizationId, "account", accountAttributes.takeSeen(now)),
    saveKeys(tx, organizationId, state, change),
    savePlanProblems(tx, organizationId, state.planProblems.all()),
    defineEvents(tx, organizationId, change, {
      revision: basis.revisions.events,
      pending: outcome.events,
      rules,
    }),
  ]);
  const erasures = state.erasures.added();
  const receivedAt = [...erasures.values()].reduce((last, erasure) => Math.max(last, erasure.receivedAt), 0);
  for (const roster of [accounts, users]) {
    await mergeProfiles(tx, organizationId, roster);
    await keepHalves(tx, organizationId, roster);
    await unmergeProfiles(tx, organizationId, roster);
    await keepFormerIdentifiers(tx, organizationId, roster);
    if (mayComeBack) await deleteProfiles(tx, roster.subjectType, organizationId, roster.removed());
    else await removeProfiles(tx, organizationId, roster, change, { sequence, receivedAt: new Date(receivedAt) });
  }
  await saveErasedHashes(tx, organizationId, erasures);
  if (change.undo) await saveChangeWriters(tx, organizationId, sequence, Object.keys(change.undo));
  const limits = { version: sequence, limit: maxRelinkedUsers };
  const leavesRelinks = (await relink(tx, organizationId, state, change, limits)) || accounts.unmerges().length > 0;
  return { profilesLength: accountsLength + usersLength, leavesRelinks };
}

async function mergeProfiles(tx: Transaction, organizationId: string, roster: Roster): Promise<void> {
  // A survivor may itself have been merged within the same micro-batch, and both may never have been stored.
  const merges = roster.merges().map((merge) => ({ ...merge, survivor: roster.current(merge.survivor) }));
  await saveMerges(tx, roster.subjectType, organizationId, merges);
}

/** Saves the halves that records have written to. Profiles that were never merged have none. */
async function keepHalves(tx: Transaction, organizationId: string, roster: Roster): Promise<void> {
  const { halves } = roster;
  const touched = [...halves.touched()].map((half) => {
    const owner = roster.find(halves.subjectOf(half));
    return { half, subjectId: owner ? roster.current(owner).id : halves.subjectOf(half) };
  });
  await saveHalves(tx, organizationId, { touched, removed: halves.removed(), moved: halves.moved() });
}

async function unmergeProfiles(tx: Transaction, organizationId: string, roster: Roster): Promise<void> {
  for (const { survivor, restored, restoredIds, isNeverAgain } of roster.unmerges()) {
    await saveUnmerge(tx, roster.subjectType, organizationId, {
      survivorId: survivor.id,
      restoredId: restored.id,
      restoredIds,
      keptApartAs: isNeverAgain ? `${survivor.id}-${restored.id}` : undefined,
    });
    // Users return to a split account in pages, each an ordinary change.
    if (roster.subjectType === "account") {
      await saveReturns(tx, organizationId, restoredIds, restored.id, false);
    }
  }
}

/** Keeps the identifiers that profiles have lost: an erasure concerns them too. */
async function keepFormerIdentifiers(tx: Transaction, organizationId: string, roster: Roster): Promise<void> {
  const kept = roster.former.added().flatMap(({ profile, identifier }) => {
    const owner = roster.current(profile);
    return roster.isRemoved(owner) ? [] : [{ ...identifier, ownerId: owner.id }];
  });
  await saveFormerIdentifiers(tx, organizationId, kept);
}

async function removeProfiles(
  tx: Transaction,
  organizationId: string,
  roster: Roster,
  change: ChangeSet,
  erasure: { sequence: number; receivedAt: Date },
): Promise<void> {
  // The change does not name subjects that were created in the same micro-batch, but the ingestion log has their entries.
  const erased = [...roster.removedKeys()].map(([{ id }, identifierKeys]) => ({ id, identifierKeys }));
  const formerIds = await eraseProfiles(tx, roster.subjectType, organizationId, erased, erasure);
  for (const subject of change.removed) {
    if (subject.kind === roster.subjectType) subject.formerIds = formerIds.get(subject.id) ?? [];
  }
}

/**
 * Users of a merged account get its survivor, users of an erased account get none. They count as changed, because their
 * reports name the account. When there are too many for one change, the rest follows in pages (relink-page.ts), and so do the
 * merges of their accounts. Returns whether there is a rest.
 */
async function relink(
  tx: Transaction,
  organizationId: string,
  { users, accounts }: WorkingState,
  change: ChangeSet,
  { version, limit }: { version: number; limit: number },
): Promise<boolean> {
  const merged = change.merges.filter(({ kind }) => kind === "account");
  const removed = change.removed.filter(({ kind }) => kind === "account");
  const relinks: AccountRelink[] = [
    ...merged.map(({ loser, survivor }) => ({ from: loser, to: accounts.find(survivor) ? survivor : null })),
    ...removed.map(({ id }) => ({ from: id, to: null })),
  ];
  await redirectRelinks(tx, organizationId, relinks);
  const relinkedUsers = await relinkUsers(tx, organizationId, relinks, { version, limit });
  const known = new Map(change.users.map((user) => [user.id, user]));
  for (const relinked of relinkedUsers) {
    const changed = known.get(relinked.id) ?? { id: relinked.id, isNew: false, changes: {} };
    if (!known.has(relinked.id)) change.users.push(changed);
    // A user that this micro-batch has also linked keeps the account it had before the micro-batch.
    const [from] = changed.changes.account_id ?? [relinked.from];
    changed.changes.account_id = [from, relinked.to];
    const user = users.find(relinked.id);
    if (user) user.accountId = relinked.to ?? undefined;
  }
  if (relinkedUsers.length < limit) return false;
  await saveRelinks(tx, organizationId, relinks, change.quiet ?? false);
  change.merges = change.merges.filter(({ kind }) => kind !== "account");
  return true;
}

async function saveKeys(
  tx: Transaction,
  organizationId: string,
  state: WorkingState,
  change: ChangeSet,
): Promise<void> {
  const keyed = change.events.flatMap((stored) => {
    const known = state.knownEvents.get(stored.event_id);
    return known?.id === stored.id ? [{ stored, known, originId: decidedOrigin(stored.origin_id) }] : [];
  });
  await saveEventKeys(tx, organizationId, keyed);
}
