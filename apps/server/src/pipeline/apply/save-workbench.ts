import type { ChangeSet } from "../../domain/changes/change-set.js";
import type { Rejection, Workbench } from "../../domain/entries/apply-entries.js";
import { EventDefinitions } from "../../domain/events/event-definitions.js";
import { identifierKeys } from "../../domain/identity/identifiers.js";
import type { Roster } from "../../domain/identity/roster.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { saveAttributes } from "../../storage/postgres/definitions/attribute-definitions.js";
import { readEventDefinitions, saveEventDefinitions } from "../../storage/postgres/definitions/event-definitions.js";
import { saveEventKeys } from "../../storage/postgres/ingest/event-keys.js";
import { saveRejections } from "../../storage/postgres/ingest/rejected-entries.js";
import { eraseProfiles } from "../../storage/postgres/profiles/erase-profiles.js";
import { relinkUsers, saveIdentifiers, saveMerges, saveProfiles } from "../../storage/postgres/profiles/profiles.js";

/** Writes what a micro-batch made of the workbench. What was erased or followed its account is added to the change. */
export async function saveWorkbench(
  tx: Transaction,
  organizationId: string,
  { bench, change, rejections }: { bench: Workbench; change: ChangeSet; rejections: readonly Rejection[] },
  sequence: number,
): Promise<void> {
  const { users, accounts, userAttributes, accountAttributes } = bench;
  // All at once, and in this order; what is rare comes after, one by one.
  await Promise.all([
    saveRejections(tx, organizationId, rejections),
    ...[accounts, users].flatMap((roster) => [
      saveProfiles(tx, roster.kind, organizationId, roster.changed(), sequence),
      saveIdentifiers(tx, roster.kind, organizationId, roster.identifierChanges()),
    ]),
    saveAttributes(tx, organizationId, "user", userAttributes.added()),
    saveAttributes(tx, organizationId, "account", accountAttributes.added()),
    saveKeys(tx, organizationId, bench, change),
    defineEvents(tx, organizationId, change),
  ]);
  for (const roster of [accounts, users]) {
    await mergeProfiles(tx, organizationId, roster);
    await removeProfiles(tx, organizationId, roster, change);
  }
  await relink(tx, organizationId, bench, change, sequence);
}

async function mergeProfiles(tx: Transaction, organizationId: string, roster: Roster): Promise<void> {
  // A survivor may have been merged on within the same micro-batch, and need never have been stored itself.
  const merges = roster
    .merges()
    .filter(({ loser }) => !roster.isNew(loser))
    .map((merge) => ({ ...merge, survivor: roster.current(merge.survivor) }));
  await saveMerges(tx, roster.kind, organizationId, merges);
}

async function removeProfiles(
  tx: Transaction,
  organizationId: string,
  roster: Roster,
  change: ChangeSet,
): Promise<void> {
  const removed = change.removed.filter(({ kind }) => kind === roster.kind);
  const ids = new Set(removed.map(({ id }) => id));
  const gone = roster.removed().filter(({ id }) => ids.has(id));
  const erased = gone.map(({ id, identifiers }) => ({ id, identifierKeys: identifierKeys(identifiers) }));
  const formerIds = await eraseProfiles(tx, roster.kind, organizationId, erased);
  for (const subject of removed) subject.formerIds = formerIds.get(subject.id) ?? [];
}

/** Users of accounts that were merged or erased follow; they count as changed, since their report names the account. */
async function relink(
  tx: Transaction,
  organizationId: string,
  { users, accounts }: Workbench,
  change: ChangeSet,
  sequence: number,
): Promise<void> {
  const merged = change.merges.filter(({ kind }) => kind === "account");
  const removed = change.removed.filter(({ kind }) => kind === "account");
  const from = [...merged.map(({ loser }) => loser), ...removed.map(({ id }) => id)];
  const to = [...merged.map(({ survivor }) => (accounts.find(survivor) ? survivor : null)), ...removed.map(() => null)];
  const known = new Map(change.users.map((user) => [user.id, user]));
  for (const relinked of await relinkUsers(tx, organizationId, from, to, sequence)) {
    const changed = known.get(relinked.id) ?? { id: relinked.id, isNew: false, changes: {} };
    if (!known.has(relinked.id)) change.users.push(changed);
    // Linked in this very batch, it comes from wherever it was before.
    const [from] = changed.changes.account_id ?? [relinked.from];
    changed.changes.account_id = [from, relinked.to];
    const user = users.find(relinked.id);
    if (user) user.accountId = relinked.to ?? undefined;
  }
}

async function saveKeys(tx: Transaction, organizationId: string, bench: Workbench, change: ChangeSet): Promise<void> {
  const keyed = change.events.flatMap((stored) => {
    const known = bench.knownEvents.get(stored.event_id);
    return known?.id === stored.id ? [{ stored, known }] : [];
  });
  await saveEventKeys(tx, organizationId, keyed);
}

async function defineEvents(tx: Transaction, organizationId: string, { events }: ChangeSet): Promise<void> {
  const names = [...new Set(events.map(({ event }) => event))];
  const definitions = new EventDefinitions(await readEventDefinitions(tx, organizationId, names));
  for (const { event, properties } of events) definitions.observe(event, properties);
  await saveEventDefinitions(tx, organizationId, definitions.changed());
}
