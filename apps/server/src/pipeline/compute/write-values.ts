import { loadAllAttributes } from "../../audience/attributes/attribute-definitions.js";
import type { ValuesById } from "../../audience/computed/ask-values.js";
import { loadComputed } from "../../audience/computed/known-computed.js";
import { noOutcome } from "../../domain/apply/entry-application.js";
import { summariseBatch } from "../../domain/apply/summarise-batch.js";
import { computeOwnValues, evaluateFormulas, type OnProblem, writeFigure } from "../../domain/computed/own-values.js";
import { LANE, type Lane } from "../../domain/entries/lanes.js";
import { Roster } from "../../domain/identity/roster.js";
import { Breather } from "../../runtime/loops/breather.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import { compress, decompressedSize, memoryOf } from "../../storage/logs/compression.js";
import { appendChange, lockChangeHead, type ProjectCursor } from "../../storage/postgres/changes/changes.js";
import type { Database, Transaction } from "../../storage/postgres/database.js";
import { readRevisions } from "../../storage/postgres/definitions/revisions.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import { type OldLink, type RowPlace, saveProfiles } from "../../storage/postgres/profiles/save-profiles.js";
import type { ApplyRules } from "../apply/apply-rules.js";
import type { ChangeBuffer } from "../buffers/change-buffer.js";

export interface WriteOptions {
  database: Database;
  changeBuffer: ChangeBuffer;
  rules: ApplyRules;
  metrics: Pick<Metrics, "formulaProblems">;
  /** The lease of this process on the work of the organization. */
  lease: WorkLease;
}

/** Computed values of users and accounts. */
export interface ValuesToWrite {
  user: ValuesById;
  account: ValuesById;
  /** Formulas of these subjects are evaluated whatever has changed. */
  withFormulas?: boolean;
}

export const NOBODY: ValuesById = new Map();

/** The place in the log that a change has because of its cause. */
export interface Cause {
  lane: Lane;
  position: number;
}

/** A change that no single record has caused has the place of what the relay has come to. */
export function causeAt({ positions }: ProjectCursor): Cause {
  return { lane: LANE.live, position: positions[LANE.live] ?? 0 };
}

/**
 * Writes computed values as a change of their own in the change log. Values that the profiles have already change nothing,
 * so that repeating a step that was interrupted is harmless. `beside` saves something in the same transaction; it gets the
 * sequence of the change, if there is one. Returns about how many bytes of memory the change takes.
 */
export async function writeValues(
  { database, changeBuffer, rules, metrics, lease }: WriteOptions,
  organizationId: string,
  values: ValuesToWrite,
  { lane, position }: Cause,
  beside?: (tx: Transaction, sequence: number | undefined) => Promise<void>,
): Promise<number> {
  if (values.user.size + values.account.size === 0 && !beside) return 0;
  const written = await database.transaction(async (tx) => {
    // The lock keeps micro-batches out until the transaction ends.
    const [, head] = await Promise.all([lease.confirm(tx), lockChangeHead(tx, organizationId)]);
    const sequence = head + 1;
    const revisions = await readRevisions(tx, organizationId);
    if (!revisions || revisions.computed === null) return undefined;
    const attributes = await loadAllAttributes(tx, organizationId, rules.maxAttributes, revisions);
    const { own, all } = await loadComputed(tx, organizationId, revisions.computed);
    const present = new Set(all.map(({ id }) => id));
    const now = Date.now();
    const users = await loadRoster(tx, organizationId, "user", values.user, rules, now);
    const accounts = await loadRoster(tx, organizationId, "account", values.account, rules, now);
    const breather = new Breather();
    const onProblem: OnProblem = (reason) => metrics.formulaProblems.inc({ reason });
    const breathe = () => (breather.isDue ? breather.pause() : undefined);
    for (const { roster } of [accounts, users]) {
      for (const [id, computed] of values[roster.subjectType]) {
        if (breather.isDue) await breather.pause();
        const profile = roster.find(id);
        // A merged user's id finds the survivor, whose values are others.
        if (profile?.id !== id) continue;
        // A definition that was removed meanwhile writes nothing any more.
        for (const value of computed) if (present.has(value.id)) writeFigure(roster, profile, value, now);
        if (values.withFormulas) {
          evaluateFormulas(roster, profile, own[roster.subjectType].formulas, { now, onProblem });
        }
      }
      await computeOwnValues(roster, own[roster.subjectType], { now, onProblem, breathe });
    }
    const profiles = [...accounts.roster.changed(), ...users.roster.changed()];
    if (profiles.length === 0) {
      await beside?.(tx, undefined);
      return undefined;
    }
    const state = {
      users: users.roster,
      accounts: accounts.roster,
      userAttributes: attributes.user,
      accountAttributes: attributes.account,
    };
    const { attributesChanged } = rules;
    const change = summariseBatch(noOutcome(), state, { sequence, now, isQuiet: false, attributesChanged });
    const payload = compress(change);
    let length = 0;
    for (const { roster, places, oldLinks } of [accounts, users]) {
      const { subjectType } = roster;
      length += await saveProfiles(tx, subjectType, organizationId, roster.changed(), places, sequence, oldLinks);
    }
    await appendChange(tx, organizationId, { sequence, lane, position, payload });
    await beside?.(tx, sequence);
    return { sequence, change, profiles, bytes: memoryOf(decompressedSize(payload) + length) };
  });
  if (!written) return 0;
  const { sequence, change, profiles, bytes } = written;
  changeBuffer.put(organizationId, { sequence, lane, position, change, profiles }, bytes);
  return bytes;
}

interface LoadedRoster {
  roster: Roster;
  places: Map<string, RowPlace>;
  oldLinks: Map<string, OldLink>;
}

async function loadRoster(
  tx: Transaction,
  organizationId: string,
  subjectType: "user" | "account",
  values: ValuesById,
  rules: ApplyRules,
  now: number,
): Promise<LoadedRoster> {
  const roster = new Roster(subjectType, rules, now);
  const places = new Map<string, RowPlace>();
  const oldLinks = new Map<string, OldLink>();
  const loaded = await loadProfiles(tx, subjectType, organizationId, { ids: values.keys(), identifiers: [] });
  for (const { profile, formerIds, place, relinkedFrom } of loaded) {
    places.set(profile.id, place);
    if (relinkedFrom !== undefined) oldLinks.set(profile.id, { from: relinkedFrom, to: profile.accountId });
    roster.load(profile, formerIds);
  }
  return { roster, places, oldLinks };
}
