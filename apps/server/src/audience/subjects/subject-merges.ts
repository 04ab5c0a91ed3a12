import { Refusal, type SubjectType } from "@muster/protocol";
import type {
  DoNotMerge,
  SubjectMerges as MergesRecord,
  SubjectHalf,
  UnmergeChoices,
  Unmerged,
  UnmergePreview,
} from "@muster/protocol/api/merges";
import type { Half } from "../../domain/identity/halves.js";
import { STRENGTH } from "../../domain/identity/identifiers.js";
import { Roster } from "../../domain/identity/roster.js";
import type { Unmerge } from "../../domain/identity/undo-merge.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Database } from "../../storage/postgres/database.js";
import { countDoNotMerge, listDoNotMerge, removeDoNotMerge } from "../../storage/postgres/profiles/do-not-merge.js";
import {
  type LoadedHalf,
  loadHalvesOf,
  MAX_HALVES,
  readHalfParents,
} from "../../storage/postgres/profiles/merge-halves.js";
import { readMerges } from "../../storage/postgres/profiles/merge-rows.js";
import { findProfile } from "../../storage/postgres/profiles/profiles.js";
import { readUndoneMerges } from "../../storage/postgres/profiles/unmerge-rows.js";
import type { Segments } from "../segments/segments.js";
import type { EntryWriter } from "./entry-writer.js";
import type { FindWriter } from "./find-writer.js";
import { nameWriters } from "./name-writers.js";
import { mergeRecord } from "./timeline-items.js";

export interface SubjectMergesOptions extends FindWriter {
  database: Database;
  writer: EntryWriter;
  segments: Segments;
  /** The connectors that get messages about users, or about accounts. */
  listenersOf(organizationId: string, subjectType: SubjectType): { id: string; name: string | null }[];
}

export interface UnmergeRequest {
  mergedId: string;
  isNeverAgain: boolean;
  choices: UnmergeChoices;
  connectorId: string;
}

const MAX_MERGES = 200;
const NO_LIMITS = {
  mergesPerDay: Number.POSITIVE_INFINITY,
  maxAnonymousIds: Number.POSITIVE_INFINITY,
  maxSubjectBytes: Number.POSITIVE_INFINITY,
};
const EARLIER =
  "It was merged by an earlier version, which did not keep what records wrote to each of the two afterwards.";

/** The merges of users and accounts, and how they are undone. */
export class SubjectMerges {
  readonly #options: SubjectMergesOptions;

  constructor(options: SubjectMergesOptions) {
    this.#options = options;
  }

  async list(organizationId: string, { id, subjectType }: Profile): Promise<MergesRecord> {
    const { database } = this.#options;
    const [merges, undone] = await Promise.all([
      readMerges(database, organizationId, id, { limit: MAX_MERGES }),
      readUndoneMerges(database, organizationId, id, MAX_MERGES),
    ]);
    const ids = merges.map(({ loserId }) => loserId);
    const [parents, writerOf] = await Promise.all([
      readHalfParents(database, organizationId, ids),
      nameWriters(
        this.#options,
        organizationId,
        merges.map(({ cause }) => cause?.source),
      ),
    ]);
    return {
      id,
      type: subjectType,
      merges: merges.map((merge) => {
        const parent = parents.get(merge.loserId);
        return {
          merged_at: merge.mergedAt.toISOString(),
          ...mergeRecord(merge, writerOf),
          merged_into: parent === undefined || parent === id ? null : parent,
          can_undo: parent !== undefined,
          why_not: parent === undefined ? EARLIER : "",
        };
      }),
      undone: undone.map(({ loserId, survivorId, mergedAt, undoneAt }) => ({
        merged_id: loserId,
        survivor_id: survivorId,
        merged_at: mergedAt.toISOString(),
        undone_at: undoneAt.toISOString(),
      })),
    };
  }

  /** What undoing a merge would do. Nothing is stored. */
  async preview(
    organizationId: string,
    subject: Profile,
    mergedId: string,
    choices: UnmergeChoices,
  ): Promise<UnmergePreview> {
    const { listenersOf } = this.#options;
    const { halves, unmerge, undecided } = await this.#compute(organizationId, subject, mergedId, choices);
    const { survivor, restored } = unmerge;
    const sources = halves.flatMap(({ half }) => [...half.profile.cells.values()].map(({ written }) => written.source));
    const writerOf = await nameWriters(this.#options, organizationId, sources);
    const segmentsOf = await this.#segmentsOf(organizationId, subject);
    const halfOf = async (profile: Profile): Promise<SubjectHalf> => {
      const account = await this.#accountOf(organizationId, profile);
      return {
        id: profile.id,
        identifiers: { ...profile.identifiers },
        attributes: [...profile.cells]
          .filter(([, { value }]) => value !== null)
          .map(([name, { value, written }]) => {
            return { name, value, set_at: isoOf(written.at), set_by: writerOf(written.source) };
          })
          .sort((one, other) => (one.name < other.name ? -1 : 1)),
        events: profile.eventCounts ? sumOf(profile.eventCounts.byName) : null,
        account: account && { id: account.id, name: nameOf(account) },
        created_at: isoOf(profile.createdAt),
        last_seen_at: profile.lastSeenAt === undefined ? null : isoOf(profile.lastSeenAt),
        segments: segmentsOf({ ...profile, accountId: account?.id }),
      };
    };
    return {
      dry_run: true,
      survivor: await halfOf(survivor),
      split_off: await halfOf(restored),
      undecided: {
        attributes: undecided.flatMap((half) =>
          [...half.undecided.cells].flatMap(([name, before]) => {
            const cell = half.profile.cells.get(name);
            if (!cell) return [];
            const { value, written } = cell;
            const said = { set_at: isoOf(written.at), set_by: writerOf(written.source) };
            return [{ name, value, otherwise: before?.value ?? null, ...said }];
          }),
        ),
        identifiers: undecided.flatMap((half) => [...half.undecided.identifiers].map((key) => identifierIn(key))),
        account: undecided.some((half) => half.undecided.link !== undefined),
        events: undecided.reduce((sum, half) => sum + half.undecided.events, 0),
      },
      connectors: listenersOf(organizationId, subject.subjectType),
    };
  }

  /** Undoes a merge, in the order of all other entries. */
  async undo(
    organizationId: string,
    subject: Profile,
    { mergedId, isNeverAgain, choices, connectorId }: UnmergeRequest,
  ): Promise<Unmerged> {
    const { database, writer } = this.#options;
    const { id, subjectType } = subject;
    await this.#compute(organizationId, subject, mergedId, choices);
    const position = await writer.accept(organizationId, {
      type: "unmerge",
      at: Date.now(),
      connectorId,
      subject: subjectType,
      [subjectType]: { id },
      create: false,
      // An active entry would overtake earlier records of the two.
      active: false,
      body: { merged_id: mergedId, never_again: isNeverAgain, choices },
    });
    await writer.waitFor(organizationId, position);
    const now = await findProfile(database, subjectType, organizationId, mergedId);
    if (now?.id !== mergedId) {
      throw new Refusal("conflict", "The merge was not undone. The list of rejected entries has the reason.");
    }
    return { position, id, unmerged_id: mergedId };
  }

  async keptApart(
    organizationId: string,
    page: { limit: number; offset: number },
  ): Promise<{ decisions: DoNotMerge[]; total: number }> {
    const { database } = this.#options;
    const [rows, total] = await Promise.all([
      listDoNotMerge(database, organizationId, page),
      countDoNotMerge(database, organizationId),
    ]);
    const decisions = rows.map(({ id, subjectType, one, other, createdAt }) => {
      return { id, type: subjectType, subject_ids: [one, other], created_at: createdAt.toISOString() };
    });
    return { decisions, total };
  }

  /** Two may be merged again, if a record says so. */
  allowAgain(organizationId: string, id: string): Promise<boolean> {
    return removeDoNotMerge(this.#options.database, organizationId, id);
  }

  /** Undoes the merge in memory. Throws when that is not possible. */
  async #compute(organizationId: string, subject: Profile, mergedId: string, choices: UnmergeChoices) {
    const { database } = this.#options;
    const { id, subjectType } = subject;
    const halves = await loadHalvesOf(database, subjectType, organizationId, id, MAX_HALVES + 1);
    if (halves.length > MAX_HALVES) {
      throw new Refusal("conflict", `The ${subjectType} consists of more than ${MAX_HALVES} that were merged.`);
    }
    if (mergedId !== id && !halves.some(({ half }) => half.profile.id === mergedId)) {
      await this.#refuse(organizationId, subject, mergedId);
    }
    const roster = rosterOf(subject, halves);
    // Copies, because undoing changes them.
    const undecided = roster.halves.above(mergedId).map(({ profile, undecided: given, ...half }) => ({
      ...half,
      profile: { ...profile, cells: new Map(profile.cells) },
      undecided: { ...given, cells: new Map(given.cells), identifiers: new Set(given.identifiers) },
    }));
    requireUndecided(undecided, choices);
    const unmerge = roster.unmerge(roster.find(id)!, mergedId, choices, false);
    if (typeof unmerge === "string") throw new Refusal("conflict", unmerge);
    return { halves, unmerge: unmerge as Unmerge, undecided };
  }

  async #refuse(organizationId: string, { id, subjectType }: Profile, mergedId: string): Promise<never> {
    const { database } = this.#options;
    const merges = await readMerges(database, organizationId, id, { limit: MAX_MERGES });
    if (merges.some(({ loserId }) => loserId === mergedId)) throw new Refusal("conflict", EARLIER);
    const undone = await readUndoneMerges(database, organizationId, id, MAX_MERGES);
    if (undone.some(({ loserId }) => loserId === mergedId)) {
      throw new Refusal("conflict", `The merge of "${mergedId}" was undone already.`);
    }
    throw new Refusal("not_found", `"${mergedId.slice(0, 100)}" was not merged into the ${subjectType} ${id}.`);
  }

  /** The account that a half is linked to; it may have been merged or erased since. */
  async #accountOf(organizationId: string, { accountId, accountOrigin }: Profile): Promise<Profile | null> {
    const origin = accountOrigin ?? accountId;
    if (origin === undefined) return null;
    return (await findProfile(this.#options.database, "account", organizationId, origin)) ?? null;
  }

  /** Which segments the merged one is in, and a half will be in. */
  async #segmentsOf(organizationId: string, { id, subjectType }: Profile) {
    const { segments } = this.#options;
    const [joined, tests] = await Promise.all([
      segments.idsOf(organizationId, subjectType, id),
      segments.testsOf(organizationId, subjectType),
    ]);
    const present = new Set(joined);
    return (profile: Profile): SubjectHalf["segments"] =>
      tests
        .map(({ segment, fits }) => {
          return { id: segment.id, name: segment.name, now: present.has(segment.id), after: fits(profile) };
        })
        .filter(({ now, after }) => now || after === true);
  }
}

function rosterOf(subject: Profile, halves: readonly LoadedHalf[]): Roster {
  const roster = new Roster(subject.subjectType, NO_LIMITS, Date.now());
  roster.load({ ...subject, cells: new Map(subject.cells) });
  for (const { half, identifiers } of halves) roster.halves.load(half, identifiers);
  return roster;
}

/** Only what cannot be decided can be chosen. */
function requireUndecided(halves: readonly Half[], { attributes = [], identifiers = [] }: UnmergeChoices): void {
  const decided = attributes.find((name) => !halves.some(({ undecided }) => undecided.cells.has(name)));
  if (decided !== undefined) {
    throw new Refusal("invalid_parameter", `Who wrote "${decided.slice(0, 100)}" is known, so it cannot be chosen.`);
  }
  const owned = identifiers.find(
    ({ kind, value }) => !halves.some(({ undecided }) => undecided.identifiers.has(`${kind} ${value}`)),
  );
  if (owned) {
    throw new Refusal("invalid_parameter", `Whose ${owned.kind} "${owned.value.slice(0, 100)}" is, is known.`);
  }
}

function identifierIn(key: string) {
  const place = key.indexOf(" ");
  const kind = [...STRENGTH.user, ...STRENGTH.account].find((known) => known === key.slice(0, place))!;
  return { kind, value: key.slice(place + 1) };
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function nameOf({ cells, identifiers }: Profile): string | null {
  const name = cells.get("name")?.value;
  return typeof name === "string" ? name : (identifiers.domain?.[0] ?? null);
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
