import type { SubjectType } from "@muster/protocol";
import { UNLISTED_FIELDS } from "../../domain/profiles/report.js";
import type { ParsedSegment } from "./parsed-segment.js";
import type { Touch, Touches } from "./touched-by.js";

/** Subjects, and the segments to evaluate for them. */
export interface Asked {
  ids: string[];
  segments: readonly ParsedSegment[];
}

/**
 * The segments of users or of accounts by what their queries ask about: fields, events, segments, the account. With it, a
 * change costs what it can change, and not as much as all segments.
 */
export class SegmentIndex {
  readonly #all: readonly ParsedSegment[];
  readonly #byField = new Map<string, Set<ParsedSegment>>();
  readonly #byEvent = new Map<string, Set<ParsedSegment>>();
  readonly #bySegment = new Map<string, Set<ParsedSegment>>();
  readonly #byAccountField = new Map<string, Set<ParsedSegment>>();
  /** Those that ask about a field whose changes are not listed. */
  readonly #byProfile = new Set<ParsedSegment>();
  readonly #byAnyEvent = new Set<ParsedSegment>();
  readonly #byAnySegment = new Set<ParsedSegment>();

  constructor(segments: readonly ParsedSegment[], subjectType: SubjectType) {
    this.#all = segments.filter(({ segment }) => segment.subjectType === subjectType);
    for (const segment of this.#all) this.#add(segment, subjectType);
  }

  get size(): number {
    return this.#all.length;
  }

  #add(segment: ParsedSegment, subjectType: SubjectType): void {
    const { reads } = segment;
    for (const field of reads[subjectType]) {
      note(this.#byField, field, segment);
      if (UNLISTED_FIELDS.has(field)) this.#byProfile.add(segment);
    }
    if (subjectType === "user" && reads.account.length > 0) {
      note(this.#byField, "account_id", segment);
      for (const field of reads.account) note(this.#byAccountField, field, segment);
    }
    // An account asks about users through its events, and a changed user does not touch its account.
    if (subjectType === "account" && reads.user.length > 0) this.#byProfile.add(segment);
    for (const name of reads.events) note(this.#byEvent, name, segment);
    if (reads.anyEvent) this.#byAnyEvent.add(segment);
    for (const id of reads.segments) note(this.#bySegment, id, segment);
    if (reads.anySegment) this.#byAnySegment.add(segment);
  }

  /** Puts subjects together that need the same segments. Subjects that need none are left out. */
  ask(touches: Touches): Asked[] {
    const groups = new Map<string, Asked>();
    for (const [id, touch] of touches) {
      const key = signatureOf(touch);
      const known = groups.get(key);
      if (known) known.ids.push(id);
      else groups.set(key, { ids: [id], segments: this.#affectedBy(touch) });
    }
    return [...groups.values()].filter(({ segments }) => segments.length > 0);
  }

  #affectedBy({ isWhole, hasProfile, fields, events, segments }: Touch): readonly ParsedSegment[] {
    if (isWhole) return this.#all;
    const found = new Set<ParsedSegment>();
    const add = (more: Iterable<ParsedSegment> | undefined) => {
      for (const segment of more ?? []) found.add(segment);
    };
    for (const field of fields) add(this.#byField.get(field));
    if (hasProfile) add(this.#byProfile);
    for (const name of events) add(this.#byEvent.get(name));
    if (events.size > 0) add(this.#byAnyEvent);
    for (const id of segments) add(this.#bySegment.get(id));
    if (segments.size > 0) add(this.#byAnySegment);
    return [...found];
  }

  /** The segments of users that may change with their accounts. */
  affectedByAccounts(touches: Touches): readonly ParsedSegment[] {
    const found = new Set<ParsedSegment>();
    const addOf = (field: string) => {
      for (const segment of this.#byAccountField.get(field) ?? []) found.add(segment);
    };
    for (const { isWhole, hasProfile, fields, segments } of touches.values()) {
      const unlisted = hasProfile ? UNLISTED_FIELDS : [];
      for (const field of isWhole ? this.#byAccountField.keys() : [...fields, ...unlisted]) addOf(field);
      if (segments.size > 0) addOf("segment_ids");
    }
    return [...found];
  }
}

function note(index: Map<string, Set<ParsedSegment>>, key: string, segment: ParsedSegment): void {
  const known = index.get(key);
  if (known) known.add(segment);
  else index.set(key, new Set([segment]));
}

/** Equal for touches that affect the same segments. */
function signatureOf({ isWhole, hasProfile, fields, events, segments }: Touch): string {
  if (isWhole) return "whole";
  return JSON.stringify([hasProfile, [...fields].sort(), [...events].sort(), [...segments].sort()]);
}
