import { copyProfile, type Profile } from "../profiles/profile.js";
import type { ProfileSizes } from "../profiles/profile-size.js";
import type { ChangeListener } from "./attribute-roster.js";
import type { Halves } from "./halves.js";
import type { ProfilesBefore } from "./profiles-before.js";
import { type SplitChoices, splitChosen } from "./split-choices.js";

/** A merge that was undone. */
export interface Unmerge {
  survivor: Profile;
  restored: Profile;
  /** The ids of all that it consists of, its own first. */
  restoredIds: readonly string[];
  survivorBefore: Profile;
  /** The halves whose undecided events go to the one that was split off, because somebody has chosen so. */
  undecidedEventsOf: readonly string[];
  /** The two must not be merged again. */
  isNeverAgain: boolean;
}

interface UnmergingRoster extends ChangeListener {
  readonly subjectType: Profile["subjectType"];
  readonly halves: Halves;
  readonly before: ProfilesBefore;
  readonly sizes: ProfileSizes;
}

/**
 * Undoes a merge: the half with an id is a subject of its own again, with everything that was merged into it before. The
 * survivor becomes what it is without it. Returns a sentence when that is not possible.
 */
export function undoMerge(
  roster: UnmergingRoster,
  survivor: Profile,
  mergedId: string,
  { choices, isNeverAgain }: { choices: SplitChoices; isNeverAgain: boolean },
): Unmerge | string {
  const { halves, subjectType } = roster;
  const half = halves.find(mergedId);
  if (!half || halves.subjectOf(half) !== survivor.id) {
    return `"${mergedId}" is no part of the ${subjectType} ${survivor.id}, or was merged by an earlier version that did not keep what is needed.`;
  }
  if (half.mergedInto === undefined) {
    return `The ${subjectType} ${survivor.id} survived its merges. Undo the merge of one that was merged into it.`;
  }
  const survivorBefore = copyProfile(survivor);
  const restoredIds = halves.below(mergedId);
  const undecidedEventsOf = splitChosen(halves, survivor.id, mergedId, choices);
  const parts = halves.split(survivor.id, mergedId);
  const { restored } = parts;
  roster.before.noteIdentifiers(survivor);
  for (const [name, { value }] of survivorBefore.cells) roster.noteChange(survivor, name, value);
  roster.noteChange(survivor, "account_id", survivorBefore.accountId ?? null);
  const { merges, isKeptApart } = survivorBefore;
  // The guard still counts the merges of the day, unless nothing is left of them.
  Object.assign(survivor, parts.survivor, parts.survivor.hasHalves ? { merges } : {}, {
    isKeptApart: isKeptApart || isNeverAgain,
  });
  restored.isKeptApart = survivor.isKeptApart;
  roster.sizes.forget(survivor);
  for (const name of survivor.cells.keys()) {
    if (!survivorBefore.cells.has(name)) roster.noteChange(survivor, name, null);
  }
  return { survivor, restored, restoredIds, survivorBefore, undecidedEventsOf, isNeverAgain };
}
