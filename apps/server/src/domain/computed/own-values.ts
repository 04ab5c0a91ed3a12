import type { AttributeType } from "../attributes/attribute-definitions.js";
import { type AttributeValue, readValue, sameValue } from "../attributes/attribute-values.js";
import type { Roster } from "../identity/roster.js";
import type { Profile, Written } from "../profiles/profile.js";
import { computedSource } from "../profiles/written-by.js";
import type { Formula } from "./formula.js";
import { FormulaBudget } from "./formula-budget.js";
import type { FormulaResult } from "./formula-result.js";

/** A formula, and the attribute that it computes. */
export interface OwnFormula {
  id: string;
  name: string;
  type: AttributeType;
  reads: readonly string[];
  formula: Formula;
}

/** What is computed from the values of one subject alone. */
export interface OwnValues {
  /** Each comes after those that it reads. */
  formulas: readonly OwnFormula[];
  /** The attributes that are 0 for a subject that is new. */
  zeros: readonly { id: string; name: string }[];
}

/** A computed value, and the computed attribute that it is of. */
export interface ComputedValue {
  id: string;
  name: string;
  value: AttributeValue;
}

/** A computed value, and whether anything that it follows from is unproved (`domain/identity/proof.ts`). */
interface MarkedValue extends ComputedValue {
  unproved: boolean;
}

/** Why a formula has no value although all that it needs is set. */
export type OwnProblem = "too_large" | "no_value" | "wrong_type";

/** Is called with each value that a formula could not compute. */
export type OnProblem = (reason: OwnProblem) => void;

interface Computing {
  now: number;
  onProblem: OnProblem;
}

/** Lets other organizations have the thread when a computation has lasted long. Is called after each subject. */
type Breathe = () => Promise<void> | undefined;

/** Computes what follows from the values that have changed: formulas, and the zeros of new subjects. */
export async function computeOwnValues(
  roster: Roster,
  { formulas, zeros }: OwnValues,
  { now, onProblem, breathe }: Computing & { breathe: Breathe },
): Promise<void> {
  if (formulas.length === 0 && zeros.length === 0) return;
  // The cells of a merged profile may be newer than those of the survivor without another input, and both come apart again.
  const merged = new Set(roster.merges().map(({ survivor }) => roster.current(survivor)));
  for (const { survivor, restored } of roster.unmerges()) for (const half of [survivor, restored]) merged.add(half);
  for (const profile of roster.changed()) {
    if (roster.isNew(profile)) {
      for (const zero of zeros) {
        if (!profile.cells.has(zero.name)) writeFigure(roster, profile, { ...zero, value: 0 }, now);
      }
    }
    const isWhole = roster.isNew(profile) || merged.has(profile);
    const before = isWhole ? undefined : roster.before.valuesOf(profile);
    evaluateFormulas(roster, profile, formulas, { before, now, onProblem });
    const pause = breathe();
    if (pause) await pause;
  }
}

interface Evaluation extends Computing {
  /**
   * The former values of what has changed: only formulas whose value can be another one since then are evaluated; without it,
   * all of them.
   */
  before?: ReadonlyMap<string, AttributeValue> | undefined;
}

export function evaluateFormulas(
  roster: Roster,
  profile: Profile,
  formulas: readonly OwnFormula[],
  { before, now, onProblem }: Evaluation,
): void {
  let values: Map<string, AttributeValue> | undefined;
  const budget = new FormulaBudget(formulas);
  // Whether the formulas so far leave the next ones another part of the budget than before.
  let isSpentAnew = false;
  for (const [place, { id, name, type, reads, formula }] of formulas.entries()) {
    const isTouched = !before || before.has(name) || reads.some((read) => before.has(read));
    const unproved = reads.some((read) => isUnproved(profile, read));
    // Where the value stays the same, an input may have lost or got its proof.
    const keepValue = () => writeProof(roster, profile, { id, name, unproved }, now);
    if (!isTouched && !isSpentAnew) {
      keepValue();
      continue;
    }
    values ??= valuesOf(profile);
    if (!isTouched && !budget.counts(place, values)) {
      keepValue();
      continue;
    }
    isSpentAnew ||=
      before !== undefined && (budget.counts(place, values) || budget.counts(place, former(reads, before, values)));
    const fits = budget.allows(place, values);
    // It fitted before too, and its inputs are the same.
    if (!isTouched && fits && values.has(name)) {
      keepValue();
      continue;
    }
    const result = fits ? explain(formula, values, budget) : TOO_LARGE;
    const value = fitting(type, result, onProblem);
    if (!writeComputed(roster, profile, { id, name, value, unproved }, now)) continue;
    if (value === null) values.delete(name);
    else values.set(name, value);
  }
}

/** The former values of what a formula reads. */
function former(
  reads: readonly string[],
  before: ReadonlyMap<string, AttributeValue>,
  values: ReadonlyMap<string, AttributeValue>,
): Map<string, AttributeValue> {
  const inputs = new Map<string, AttributeValue>();
  for (const read of reads) {
    const value = before.has(read) ? before.get(read) : values.get(read);
    if (value !== undefined) inputs.set(read, value);
  }
  return inputs;
}

function valuesOf({ cells }: Profile): Map<string, AttributeValue> {
  const values = new Map<string, AttributeValue>();
  for (const [name, { value }] of cells) if (value !== null) values.set(name, value);
  return values;
}

/** Whether an attribute has a value that nobody has proved. */
function isUnproved({ cells }: Profile, name: string): boolean {
  const cell = cells.get(name);
  return cell?.written.unproved === true && cell.value !== null;
}

function writeProof(roster: Roster, profile: Profile, computed: Omit<MarkedValue, "value">, now: number): void {
  const value = profile.cells.get(computed.name)?.value ?? null;
  if (value !== null) writeComputed(roster, profile, { ...computed, value }, now);
}

const TOO_LARGE: FormulaResult = {
  value: null,
  problem: { reason: "too_large", sentence: "It does not fit beside the other formulas." },
};

/** An error in one formula must not stop the records of an organization. */
function explain(
  formula: Formula,
  values: ReadonlyMap<string, AttributeValue>,
  { weights }: FormulaBudget,
): FormulaResult {
  try {
    return formula.explain(values, weights);
  } catch {
    return { value: null, problem: { reason: "no_value", sentence: "It cannot be computed." } };
  }
}

/** The value that a formula has given, or null when it has none of its type. */
function fitting(type: AttributeType, { value, problem }: FormulaResult, onProblem: OnProblem): AttributeValue {
  // What is not set is no problem of the formula.
  if (problem && problem.reason !== "unset_input") onProblem(problem.reason);
  if (value === null) return null;
  const reading = readValue(type, value);
  if (reading.ok) return reading.value;
  onProblem("wrong_type");
  return null;
}

/**
 * Gives a profile a value that follows from events or from users. It is unproved where some of the events may be: nobody reads
 * each of them for it. The users of an account have values and events of their own, and the account knows nothing of their proof.
 */
export function writeFigure(roster: Roster, profile: Profile, computed: ComputedValue, now: number): boolean {
  const unproved = profile.subjectType === "account" || profile.hasHints;
  return writeComputed(roster, profile, { ...computed, unproved }, now);
}

/** Gives a profile a computed value, whatever wrote the attribute before. Returns whether it or its mark is another one. */
function writeComputed(
  roster: Roster,
  profile: Profile,
  { id, name, value, unproved }: MarkedValue,
  now: number,
): boolean {
  const cell = profile.cells.get(name);
  const before = cell?.value ?? null;
  if (sameValue(before, value)) {
    if (!cell || value === null || (cell.written.unproved === true) === unproved) return false;
    roster.touch(profile);
    profile.cells.set(name, { value, written: writtenBy(id, now, unproved) });
    return true;
  }
  if (value !== null && roster.sizes.with(profile, name, value) > roster.maxBytes) return false;
  roster.sizes.note(profile, name, value);
  roster.noteChange(profile, name, before);
  profile.cells.set(name, { value, written: writtenBy(id, now, unproved) });
  return true;
}

const MAX_KNOWN = 10_000;
const lastWritten = new Map<string, Written>();

/** The values of an attribute that are computed together share it, to save memory. */
function writtenBy(computedId: string, at: number, unproved: boolean): Written {
  const key = unproved ? `${computedId} unproved` : computedId;
  const last = lastWritten.get(key);
  if (last?.at === at) return last;
  if (lastWritten.size >= MAX_KNOWN) lastWritten.clear();
  const written: Written = { at, source: computedSource(computedId), ...(unproved ? { unproved } : {}) };
  lastWritten.set(key, written);
  return written;
}
