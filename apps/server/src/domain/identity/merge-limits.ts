import type { Profile } from "../profiles/profile.js";
import type { ProfileSizes } from "../profiles/profile-size.js";
import { STRENGTH } from "./identifiers.js";
import { mergesOn } from "./merge.js";

export interface RosterLimits {
  mergesPerDay: number;
  /** Most identifiers of one kind. */
  maxAnonymousIds: number;
  /** Most bytes of the attributes of one profile. */
  maxSubjectBytes: number;
}

interface LimitContext {
  limits: RosterLimits;
  sizes: ProfileSizes;
  /** The day, since 1970. */
  today: number;
}

/** Why two profiles cannot be merged now, as the end of a sentence. */
export function limitReached(
  survivor: Profile,
  loser: Profile,
  { limits, sizes, today }: LimitContext,
): string | undefined {
  const { mergesPerDay, maxAnonymousIds, maxSubjectBytes } = limits;
  if (mergesOn(survivor, today) >= mergesPerDay) return "it takes part in too many merges (MERGES_PER_DAY)";
  const isFull = STRENGTH[survivor.subjectType].some((kind) => {
    const both = [...(survivor.identifiers[kind] ?? []), ...(loser.identifiers[kind] ?? [])];
    return both.length > maxAnonymousIds && new Set(both).size > maxAnonymousIds;
  });
  if (isFull) return "it would have too many identifiers of a kind (MAX_ANONYMOUS_IDS)";
  const isTooLarge = loser.cells.size > 0 && sizes.of(survivor) + sizes.of(loser) > maxSubjectBytes;
  return isTooLarge ? "its attributes would be too large (MAX_SUBJECT_BYTES)" : undefined;
}

/** Decisions that two subjects must not be merged. */
export class KeptApart {
  readonly #pairs: { one: string; other: string }[] = [];

  /** Adds a decision. The ids are those of today. */
  add(pair: { one: string; other: string }): void {
    this.#pairs.push(pair);
  }

  /** Why two profiles must not be merged, as the end of a sentence. */
  reasonAgainst(survivor: Profile, loser: Profile, find: (id: string) => Profile | undefined): string | undefined {
    if (!survivor.isKeptApart || !loser.isKeptApart) return undefined;
    const isKept = this.#pairs.some(({ one, other }) => {
      const [first, second] = [find(one), find(other)];
      return (first === survivor && second === loser) || (first === loser && second === survivor);
    });
    return isKept ? "they were separated by hand, and are in the list of those that must not be merged" : undefined;
  }
}
