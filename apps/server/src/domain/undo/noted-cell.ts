import { sameValue } from "../attributes/attribute-values.js";
import type { Cell, Said } from "../profiles/profile.js";
import type { NotedCell, SubjectNotes } from "./undo-notes.js";

export function noteOf({ value, written, beside }: Cell): NotedCell {
  const said = [value, written.at, written.source] as const;
  if (beside) return [...said, written.unproved ? 1 : 0, ofSaid(beside)];
  return written.unproved ? [...said, 1] : [...said];
}

export function cellOf([value, at, source, unproved, beside]: NotedCell): Cell {
  const written = unproved ? { at, source, unproved: true as const } : { at, source };
  if (!beside) return { value, written };
  const [other, otherAt, otherSource, otherUnproved] = beside;
  const besideWritten = { at: otherAt, source: otherSource, ...(otherUnproved ? { unproved: true as const } : {}) };
  return { value, written, beside: { value: other, written: besideWritten } };
}

/** What a note says was there before, by attribute. */
export function* cellsOf({ cells = {}, before }: SubjectNotes): Iterable<[string, NotedCell | null]> {
  yield* Object.entries(cells);
  if (!before) return;
  const { names, values, places, writes } = before;
  for (const [index, name] of names.entries()) {
    const write = writes[places[index] ?? -1];
    yield [name, write ? [values[index] ?? null, ...write] : null];
  }
}

/** Whether two cells hold the same value by the same write. */
export function sameCell(one: Cell | undefined, other: Cell | undefined): boolean {
  if (!one || !other) return one === other;
  const { written: first } = one;
  const { written: second } = other;
  return first.at === second.at && first.source === second.source && sameValue(one.value, other.value);
}

function ofSaid({ value, written }: Said): NonNullable<NotedCell[4]> {
  return written.unproved ? [value, written.at, written.source, 1] : [value, written.at, written.source];
}
