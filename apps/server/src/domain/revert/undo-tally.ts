import type { SubjectType } from "@muster/protocol";
import type { UndoResult, UndoSample } from "@muster/protocol/api/reverts";

const MAX_SAMPLES = 10;

/** What a revert has done, or would do. It is JSON, because a job keeps it in its checkpoint. */
export type UndoTally = Omit<UndoResult, "dry_run" | "merges" | "known_since">;

export function emptyTally(): UndoTally {
  return {
    returned: 0,
    unset: 0,
    stayed: 0,
    subjects_removed: 0,
    subjects_stayed: 0,
    subjects_restored: 0,
    identifiers_removed: 0,
    identifiers_stayed: 0,
    links_returned: 0,
    events_removed: 0,
    events_stayed: 0,
    events_restored: 0,
    samples: [],
  };
}

type Sampled = UndoSample["what"];

/** Counts what happens to an attribute, and keeps the first few of each kind as samples. */
export function tallyValue(
  tally: UndoTally,
  what: "returned" | "unset" | "stayed",
  value: Required<Omit<UndoSample, "what">>,
): void {
  tally[what] += 1;
  if (hasRoom(tally, what)) tally.samples.push({ what, ...value });
}

export function tallySubject(
  tally: UndoTally,
  what: "subjects_removed" | "subjects_stayed" | "subjects_restored",
  subject: SubjectType,
  id: string,
): void {
  tally[what] += 1;
  if (hasRoom(tally, what)) tally.samples.push({ what, subject, id });
}

function hasRoom({ samples }: UndoTally, what: Sampled): boolean {
  let kept = 0;
  for (const sample of samples) if (sample.what === what) kept += 1;
  return kept < MAX_SAMPLES;
}
