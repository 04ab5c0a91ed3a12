import type { Cell, IdentifierKind, Profile, Written } from "../profiles/profile.js";
import { noteOf } from "./noted-cell.js";
import type { NotedLink, SubjectNotes } from "./undo-notes.js";

/** What the writers of a micro-batch did to one profile, by their source. */
export type NotesOfProfile = ReadonlyMap<string, SubjectNotes>;

const NONE: NotesOfProfile = new Map();

/**
 * Notes what writes replace, so that the writes of a job or of a connector can be taken back
 * (docs/decisions/0087-taking-writes-back.md). A value that repeats the one before is noted for jobs only: most records
 * repeat what is known, and such a note would be for nothing nearly always.
 */
export class UndoRecorder {
  readonly #notes = new Map<Profile, Map<string, SubjectNotes>>();
  readonly #creators = new Map<Profile, string>();
  #lastSource: string | undefined;
  #isNoted = false;
  #isOfJob = false;
  #last: { profile: Profile; source: string; notes: SubjectNotes } | undefined;

  noteCreation(profile: Profile, source: string | undefined): void {
    if (source === undefined || !isNoted(source)) return;
    this.#creators.set(profile, source);
    this.of(profile, source).isNew = true;
  }

  /** Call it before a write, with what the attribute has now. */
  noteWrite(profile: Profile, name: string, cell: Cell | undefined, { source }: Written, isChange: boolean): void {
    if (source !== this.#lastSource) this.#look(source);
    const isAgain = cell?.written.source === source;
    // What a job has written before was noted then, and the earlier note says what was there before the job.
    if (!this.#isNoted || (this.#isOfJob ? isAgain : !isChange) || this.#creators.get(profile) === source) return;
    const notes = this.of(profile, source);
    if (cell?.beside) {
      notes.cells ??= {};
      if (!isAgain || !Object.hasOwn(notes.cells, name)) notes.cells[name] = noteOf(cell);
      return;
    }
    notes.before ??= { names: [], values: [], places: [], writes: [] };
    const { names, values, places, writes } = notes.before;
    // Of several writes of one connector in a micro-batch, the first one has replaced what others wrote.
    if (isAgain && names.includes(name)) return;
    names.push(name);
    values.push(cell ? cell.value : null);
    places.push(cell ? placeOf(cell.written, writes) : -1);
  }

  /** Most writes of a micro-batch are by one writer. */
  #look(source: string): void {
    this.#lastSource = source;
    this.#isNoted = isNoted(source);
    this.#isOfJob = isOfJob(source);
  }

  /** A value that is not taken because of what a job wrote. It counts if that is taken back. */
  noteLate(profile: Profile, name: string, lost: Cell, winner: Cell | undefined, onlyIfNull = false): void {
    const source = winner?.written.source;
    if (source === undefined || !isOfJob(source) || source === lost.written.source) return;
    const notes = this.of(profile, source);
    notes.late ??= {};
    const late = Object.hasOwn(notes.late, name) ? notes.late[name]! : [];
    late.push(onlyIfNull ? [noteOf(lost), 1] : [noteOf(lost)]);
    notes.late[name] = late;
  }

  /**
   * Notes the cell that a merge of two profiles leaves. The notes about a stored loser stay under its id. One that was never
   * stored leaves its notes to the survivor.
   */
  noteMerged(
    survivor: Profile,
    name: string,
    { own, cell, left }: { own: Cell | undefined; cell: Cell; left: Cell },
    isLoserNew: boolean,
  ): void {
    if (left === cell && isLoserNew) this.noteWrite(survivor, name, own, cell.written, true);
    else if (own) this.noteLate(survivor, name, left === own ? cell : own, left);
  }

  noteIdentifier(
    profile: Profile,
    { kind, value }: { kind: IdentifierKind; value: string },
    source: string | undefined,
  ): void {
    if (source === undefined || !isNoted(source) || this.#creators.get(profile) === source) return;
    const notes = this.of(profile, source);
    notes.added ??= [];
    notes.added.push([kind, value]);
  }

  noteLink(profile: Profile, before: NotedLink, after: NotedLink, { source }: Written): void {
    if (!isNoted(source) || this.#creators.get(profile) === source) return;
    const notes = this.of(profile, source);
    notes.link = [notes.link?.[0] ?? before, after];
  }

  /** The notes of one writer about a profile. They are created when there are none. */
  of(profile: Profile, source: string): SubjectNotes {
    // The attributes of a record are noted one after the other.
    const last = this.#last;
    if (last?.profile === profile && last.source === source) return last.notes;
    let bySource = this.#notes.get(profile);
    if (!bySource) {
      bySource = new Map();
      this.#notes.set(profile, bySource);
    }
    let notes = bySource.get(source);
    if (!notes) {
      notes = {};
      bySource.set(source, notes);
    }
    this.#last = { profile, source, notes };
    return notes;
  }

  notesOf(profile: Profile): NotesOfProfile {
    return this.#notes.get(profile) ?? NONE;
  }

  profiles(): Iterable<Profile> {
    return this.#notes.keys();
  }
}

/** The place of a write in the list of a note. Cells that one record has written share it, and it is nearly always the last. */
function placeOf({ at, source, unproved }: Written, writes: [number, string, (0 | 1)?][]): number {
  for (let place = writes.length - 1; place >= 0; place -= 1) {
    const [knownAt, knownSource, mark] = writes[place]!;
    if (knownAt === at && knownSource === source && (mark === 1) === (unproved === true)) return place;
  }
  return writes.push(unproved ? [at, source, 1] : [at, source]) - 1;
}

/** What the operator and members write by hand is not noted: they change single values, and see what they change. */
function isNoted(source: string): boolean {
  return source !== "" && !source.startsWith("//");
}

/** Whether a job has written a value: see `Written`. */
export function isOfJob(source: string): boolean {
  return source.includes("/") && !source.startsWith("//");
}
