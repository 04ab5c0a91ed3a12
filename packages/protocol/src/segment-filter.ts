import type { SubjectType } from "./claims.js";

/**
 * The values that a setting with segments may list besides ids of segments: every subject, anonymous subjects, and
 * identified subjects.
 */
export const STANDARD_SEGMENTS = { all: "ALL", anonymous: "ANONYMOUS", identified: "IDENTIFIED" } as const;

/** What settings list: ids of segments and standard values. */
export type SegmentFilter = ReadonlySet<string>;

/** A user or account as far as a filter looks at it. */
export interface FilteredSubject {
  subjectType: SubjectType;
  /** The identifiers in the report decide whether the subject is anonymous. */
  report: Readonly<Record<string, unknown>>;
  segmentIds: readonly string[];
}

/** What changed, as far as a filter looks at it. */
export interface FilteredChanges {
  /** A new subject was in no segment before, not even in a standard one. */
  isNew: boolean;
  /** Old and new values by report key. */
  attributes: Readonly<Record<string, readonly [unknown, unknown]>>;
  leftSegmentIds: readonly string[];
}

/**
 * The identifiers that tell who a subject is. An anonymous id tells only which browser it is, and many users share a
 * domain.
 */
export const IDENTIFYING_FIELDS: Record<SubjectType, readonly string[]> = {
  user: ["external_id", "email"],
  account: ["external_id", "domain"],
};

/**
 * The filter that the values of settings make together. A value is a list, one text, or not set. When nothing is set or
 * all lists are empty, no subject passes.
 *
 * @example readSegmentFilter([["0198c2a4f1d020a1b2c3d4e5", "ANONYMOUS"], undefined])
 */
export function readSegmentFilter(settingValues: readonly unknown[]): SegmentFilter {
  return new Set(settingValues.flat().filter((value): value is string => typeof value === "string" && value !== ""));
}

/**
 * Whether a subject passes a filter now. Server and connector library both call this function. A missing subject, such as
 * the account of a user without one, passes only a filter with `ALL`.
 */
export function passesSegmentFilter(filter: SegmentFilter, subject: FilteredSubject | undefined): boolean {
  if (filter.has(STANDARD_SEGMENTS.all)) return true;
  if (!subject) return false;
  if (filter.has(standardSegmentOf(subject))) return true;
  return subject.segmentIds.some((id) => filter.has(id));
}

/** Whether a subject has just left a segment of the filter, or a standard one such as the anonymous users. */
export function leftSegmentFilter(filter: SegmentFilter, subject: FilteredSubject, changes: FilteredChanges): boolean {
  if (changes.leftSegmentIds.some((id) => filter.has(id))) return true;
  if (changes.isNew) return false;
  const before = Object.fromEntries(Object.entries(changes.attributes).map(([key, [old]]) => [key, old]));
  const segment = standardSegmentOf({ ...subject, report: { ...subject.report, ...before } });
  return segment !== standardSegmentOf(subject) && filter.has(segment);
}

function standardSegmentOf({ subjectType, report }: FilteredSubject): string {
  const isIdentified = IDENTIFYING_FIELDS[subjectType].some(
    (key) => typeof report[key] === "string" && report[key] !== "",
  );
  return isIdentified ? STANDARD_SEGMENTS.identified : STANDARD_SEGMENTS.anonymous;
}
