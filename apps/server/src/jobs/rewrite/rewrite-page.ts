import type { SubjectType } from "@muster/protocol";
import { NO_CHANGE } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import type { RosterLimits } from "../../domain/identity/merge-limits.js";
import { Roster } from "../../domain/identity/roster.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { computeOwn } from "../../pipeline/apply/compute-own.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import { compress } from "../../storage/logs/compression.js";
import { appendChange, lockChangeHead } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import { readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { readApplyCursors } from "../../storage/postgres/ingest/apply-cursors.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import { type OldLink, saveProfiles } from "../../storage/postgres/profiles/save-profiles.js";

export interface RewritePageOptions {
  database: Database;
  applyRules: RosterLimits;
  metrics: Pick<Metrics, "formulaProblems">;
}

export interface PageRewrite {
  ids: readonly string[];
  /** The attribute that changes. */
  name: string;
  /** Changes it in the cells of a profile. Returns whether it did. */
  edit(cells: Profile["cells"]): boolean;
}

/**
 * Changes an attribute of stored profiles as one change of the change log, of which connectors are not notified. The lock on the
 * change log keeps micro-batches out until the transaction ends, so nothing is written between reading a profile and saving it.
 * Formulas that read the attribute follow in the same change. Returns its sequence; undefined when there was none.
 */
export async function rewriteProfiles(
  { database, applyRules, metrics }: RewritePageOptions,
  organizationId: string,
  subjectType: SubjectType,
  { ids, name, edit }: PageRewrite,
): Promise<number | undefined> {
  if (ids.length === 0) return undefined;
  return database.transaction(async (tx) => {
    const sequence = (await lockChangeHead(tx, organizationId)) + 1;
    const loaded = await loadProfiles(tx, subjectType, organizationId, { ids, identifiers: [] });
    const now = Date.now();
    const rosters = { user: new Roster("user", applyRules, now), account: new Roster("account", applyRules, now) };
    const roster = rosters[subjectType];
    const edited = loaded.filter(({ profile, formerIds }) => {
      const before = profile.cells.get(name)?.value ?? null;
      if (!edit(profile.cells)) return false;
      roster.load(profile, formerIds);
      roster.noteChange(profile, name, before);
      return true;
    });
    if (edited.length === 0) return undefined;
    const revision = (await readRevisions(tx, organizationId))?.computed ?? null;
    await computeOwn(tx, organizationId, { users: rosters.user, accounts: rosters.account }, { revision, metrics });
    const places = new Map(edited.map(({ profile, place }) => [profile.id, place]));
    const oldLinks = new Map<string, OldLink>();
    for (const { profile, relinkedFrom } of edited) {
      if (relinkedFrom !== undefined) oldLinks.set(profile.id, { from: relinkedFrom, to: profile.accountId });
    }
    const profiles = edited.map(({ profile }) => profile);
    await saveProfiles(tx, subjectType, organizationId, profiles, places, sequence, oldLinks);
    const changed = profiles.map(({ id }) => ({ id, isNew: false, changes: {} }));
    const change = { ...NO_CHANGE, quiet: true as const, [`${subjectType}s`]: changed };
    // It has the position that bulk work has reached, because it must not claim that later entries are applied.
    const [cursor] = await readApplyCursors(tx, organizationId, [LANE.bulk]);
    const position = cursor?.position ?? 0;
    await appendChange(tx, organizationId, { sequence, lane: LANE.bulk, position, payload: compress(change) });
    return sequence;
  });
}
