import { isConsent } from "@muster/protocol";
import { joinConsents } from "../identity/consents.js";
import { outranks } from "../identity/proof.js";
import type { Cell, Said, Written } from "../profiles/profile.js";
import { cellOf, sameCell } from "../undo/noted-cell.js";
import type { NotedCell, SubjectNotes } from "../undo/undo-notes.js";

/** Whose writes are taken back. */
export interface Writer {
  /** As cells name it. */
  source: string;
  /** Values with a later record time stay: they were written after the time that is taken back. */
  until: number;
  /** The record time of everything that a job wrote. */
  at?: number | undefined;
}

/** What undone jobs had written before the writer, see `SubjectNotes.instead`. */
export type InsteadOf = NonNullable<SubjectNotes["instead"]>[string];

/** Values that lost against those of the writer, in the order of their arrival. */
export type LateCells = NonNullable<SubjectNotes["late"]>[string];

export function isBy({ source, until }: Writer, written: Written): boolean {
  return written.source === source && written.at <= until;
}

/**
 * What an attribute would have if the writer had not written it: what the note says was there before, or what came since
 * and lost against the writer. `stays` when somebody else has written it since.
 */
export function formerCell(
  name: string,
  present: Cell | undefined,
  noted: NotedCell | null,
  late: LateCells,
  writer: Writer,
): Cell | undefined | "stays" {
  const former = noted ? cellOf(noted) : undefined;
  if (isConsent(name)) return formerConsent(present, former, late, writer);
  if (present && isBy(writer, present.written)) return newest(former, late);
  return "stays";
}

/**
 * The writer's value is gone, and an older one is in its place: after a merge, both subjects may have notes of the writer.
 * Of what they had before, the newest stays.
 */
export function formerOfMerged(present: Cell | undefined, noted: NotedCell | null, writer: Writer): Cell | undefined {
  const isOlder = writer.at !== undefined && present !== undefined && present.written.at < writer.at;
  if (!isOlder || !noted) return present;
  const former = cellOf(noted);
  return outranks(present.written, former.written) ? present : former;
}

/** What a note says was there before, without what jobs wrote that are undone by now. */
export function notedBefore(noted: NotedCell | null, instead: InsteadOf): NotedCell | null {
  let before = noted;
  for (let left = instead.length; left > 0; left -= 1) {
    const found = instead.find(([source]) => source === before?.[2]);
    if (!found) return before;
    [, before] = found;
  }
  return before;
}

/** What a revert has taken away, for the revert of the revert. A newer value that came since stays. */
export function cellBefore(
  present: Cell | undefined,
  taken: NotedCell | null,
  put: NotedCell | null,
): Cell | undefined | "stays" {
  const before = taken ? cellOf(taken) : undefined;
  if (sameCell(present, put ? cellOf(put) : undefined)) return before;
  return before && present && outranks(before.written, present.written) ? before : "stays";
}

/** Newest wins, as for records, in the order of arrival. */
function newest(former: Cell | undefined, late: LateCells): Cell | undefined {
  let best = former;
  for (const [noted, onlyIfNull] of late) {
    const cell = cellOf(noted);
    if (onlyIfNull ? (best?.value ?? null) === null : !best || !outranks(best.written, cell.written)) best = cell;
  }
  return best;
}

/** Of a consent, all that others have said counts: what was there before, and what came since. */
function formerConsent(
  present: Cell | undefined,
  former: Cell | undefined,
  late: LateCells,
  writer: Writer,
): Cell | undefined | "stays" {
  const now = saidIn(present);
  if (!now.some(({ written }) => isBy(writer, written))) return "stays";
  const all = [...now, ...saidIn(former), ...late.flatMap(([noted]) => saidIn(cellOf(noted)))];
  return all
    .filter(({ written }) => !isBy(writer, written))
    .reduce<Cell | undefined>((joined, said) => joinConsents(joined, said), undefined);
}

function saidIn(cell: Cell | undefined): Said[] {
  if (!cell) return [];
  const { value, written, beside } = cell;
  return beside ? [{ value, written }, beside] : [{ value, written }];
}
