import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { Roster } from "../identity/roster.js";
import { createProfile, type Profile } from "../profiles/profile.js";
import { parseFormula } from "./formula.js";
import { MAX_COST, Weights } from "./formula-cost.js";
import { computeOwnValues, evaluateFormulas, type OwnFormula, type OwnProblem, writeFigure } from "./own-values.js";

const LIMITS = { mergesPerDay: 10, maxAnonymousIds: 10, maxSubjectBytes: 1_000_000 };
const TAGS = Array.from({ length: 4_000 }, (_, index) => `tag${index}`);

function formula(name: string, text: string): OwnFormula {
  const read = parseFormula(text);
  return { id: `id ${name}`, name, type: "boolean", reads: read.reads, formula: read };
}

/** Formulas that look through a long list, and read a number each. */
const heavy = (count: number) =>
  Array.from({ length: count }, (_, index) => formula(`f${index}`, `n${index} == 1.0 || tags.exists(t, t == "x")`));

function openProfile(values: Record<string, number | string[]>): { roster: Roster; profile: Profile } {
  const roster = new Roster("user", LIMITS, 0);
  const profile = createProfile("user", "id", 0);
  for (const [name, value] of Object.entries(values))
    profile.cells.set(name, { value, written: { at: 1, source: "x" } });
  roster.load(profile);
  return { roster, profile };
}

async function compute(roster: Roster, formulas: readonly OwnFormula[]): Promise<OwnProblem[]> {
  const problems: OwnProblem[] = [];
  const onProblem = (reason: OwnProblem) => problems.push(reason);
  await computeOwnValues(roster, { formulas, zeros: [] }, { now: 2, onProblem, breathe: () => undefined });
  return problems;
}

test("the formulas of a subject have one budget together, and those that do not fit have no value", async () => {
  const formulas = heavy(200);
  const { roster, profile } = openProfile({ tags: TAGS });
  roster.noteChange(profile, "tags", null);
  const problems = await compute(roster, formulas);
  const computed = formulas.filter(({ name }) => profile.cells.get(name)?.value === false);
  const values = new Map([["tags", TAGS]]);
  const cost = computed.reduce((sum, one) => sum + one.formula.costWith(values, new Weights()), 0);
  expect(computed.length).toBeGreaterThan(0);
  expect(cost).toBeLessThanOrEqual(MAX_COST);
  expect(problems).toEqual(Array(200 - computed.length).fill("too_large"));
});

test("a formula has the same value whatever else has changed", async () => {
  const formulas = [...heavy(5), formula("small", "n9 == 1.0")];
  const whole = openProfile({ tags: TAGS, n4: 0, n9: 1 });
  for (const name of ["tags", "n9"]) whole.roster.noteChange(whole.profile, name, null);
  await compute(whole.roster, formulas);
  const later = openProfile({ tags: TAGS, n4: 0, n9: 1 });
  // Only the last of the large formulas reads n4.
  for (const name of ["n4", "n9"]) later.roster.noteChange(later.profile, name, null);
  await compute(later.roster, formulas);
  for (const { profile } of [whole, later]) {
    expect(profile.cells.get("f4")?.value ?? null).toBe(null);
    expect(profile.cells.get("small")?.value).toBe(true);
  }
});

const LENGTHS = [undefined, 10, 2_000, 4_000];
const INPUTS = ["a", "b", "c"];
const change = fc.record({
  name: fc.constantFrom(...INPUTS, "n"),
  length: fc.constantFrom(...LENGTHS),
});
type Change = { name: string; length: number | undefined };

/** A list of so many texts, or another number. */
const valueFor = ({ name, length }: Change) =>
  length === undefined ? null : name === "n" ? length / 10 : TAGS.slice(0, length);

const EVALUATION = { now: 2, onProblem: () => {} };

/** Changes attributes, and computes what follows from that. */
async function write(profile: Profile, changes: readonly Change[], formulas: readonly OwnFormula[]): Promise<void> {
  const roster = new Roster("user", LIMITS, 0);
  roster.load(profile);
  for (const one of changes) {
    roster.noteChange(profile, one.name, profile.cells.get(one.name)?.value ?? null);
    profile.cells.set(one.name, { value: valueFor(one), written: { at: 1, source: "x" } });
  }
  await compute(roster, formulas);
}

test("values do not depend on the order in which attributes have changed", { timeout: 30_000 }, async () => {
  // Three or four of the lists fit, a formula may read another one, and `small` is not counted.
  const formulas = [
    ...INPUTS.map((name) => formula(`of_${name}`, `n == 1.0 || ${name}.exists(t, t == "x")`)),
    formula("small", "n == 1.0"),
    formula("both", `of_a == false && b.exists(t, t == "x")`),
    ...INPUTS.map((name) => formula(`again_${name}`, `${name}.exists(t, t == "y")`)),
  ];
  const outputs = ({ cells }: Profile) => formulas.map(({ name }) => [name, cells.get(name)?.value ?? null]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 2 }), { maxLength: 6 }), async (writes) => {
      const { roster, profile } = openProfile({});
      evaluateFormulas(roster, profile, formulas, EVALUATION);
      for (const changes of writes) await write(profile, changes, formulas);
      const { roster: other, profile: whole } = openProfile({});
      for (const { name, ...rest } of writes.flat()) {
        whole.cells.set(name, { value: valueFor({ name, ...rest }), written: { at: 1, source: "x" } });
      }
      evaluateFormulas(other, whole, formulas, EVALUATION);
      expect(outputs(profile)).toEqual(outputs(whole));
    }),
    { numRuns: sized(60, 600) },
  );
});

test("two hundred ordinary formulas all have a value", async () => {
  const formulas = Array.from({ length: 200 }, (_, index) =>
    formula(`f${index}`, `n > 1.0 && n < 9.0 && n != ${index}.5`),
  );
  const { roster, profile } = openProfile({ n: 5 });
  roster.noteChange(profile, "n", null);
  expect(await compute(roster, formulas)).toEqual([]);
  expect(formulas.filter(({ name }) => profile.cells.get(name)?.value === true)).toHaveLength(200);
});

test("computing lets others have the thread after each subject", async () => {
  const roster = new Roster("user", LIMITS, 0);
  const seen: number[] = [];
  const profiles = ["1", "2", "3"].map((id) => {
    const profile = createProfile("user", id, 0);
    roster.load(profile);
    profile.cells.set("n1", { value: 1, written: { at: 1, source: "x" } });
    roster.noteChange(profile, "n1", null);
    return profile;
  });
  const breathe = async () => {
    seen.push(profiles.filter(({ cells }) => cells.get("f")?.value === true).length);
  };
  const formulas = [formula("f", "n1 == 1.0")];
  await computeOwnValues(roster, { formulas, zeros: [] }, { now: 2, onProblem: () => {}, breathe });
  expect(seen).toEqual([1, 2, 3]);
});

test("a formula over a value that nobody has proved is unproved, and one over that formula too", async () => {
  const formulas = [
    formula("large", "n > 1.0"),
    formula("either", "n != null || m > 1.0"),
    formula("follows", "large == true"),
    formula("other", "m > 1.0"),
  ];
  const { roster, profile } = openProfile({ m: 5 });
  const say = async (unproved: boolean, value: number | null) => {
    roster.noteChange(profile, "n", profile.cells.get("n")?.value ?? null);
    profile.cells.set("n", { value, written: { at: 1, source: "x", ...(unproved ? { unproved } : {}) } });
    await compute(roster, formulas);
    const marks = formulas.map(({ name }) => [name, profile.cells.get(name)?.written.unproved === true]);
    return marks.flatMap(([name, isUnproved]) => (isUnproved ? [name] : []));
  };
  expect(await say(true, 5)).toEqual(["large", "either", "follows"]);
  expect(profile.cells.get("follows")?.value).toBe(true);
  // With the same value.
  expect(await say(false, 5)).toEqual([]);
  expect(await say(true, 5)).toEqual(["large", "either", "follows"]);
  // A value that is unset takes no part.
  expect(await say(true, null)).toEqual([]);
  expect(profile.cells.get("either")?.value).toBe(true);
});

test("a formula follows the proof of what it reads also when nothing has another value", async () => {
  const formulas = [formula("large", "n > 1.0")];
  const { roster, profile } = openProfile({ n: 5 });
  roster.noteChange(profile, "n", null);
  await compute(roster, formulas);
  profile.cells.set("n", { value: 5, written: { at: 1, source: "x", unproved: true } });
  const later = new Roster("user", LIMITS, 0);
  later.load(profile);
  later.touch(profile);
  await compute(later, formulas);
  expect(profile.cells.get("large")).toEqual({
    value: true,
    written: { at: 2, source: "///id large", unproved: true },
  });
});

test("a figure over events is unproved when some of the events may be, and one over users always is", () => {
  const { roster, profile } = openProfile({});
  const write = (value: number) => {
    const isWritten = writeFigure(roster, profile, { id: "f", name: "orders", value }, 2);
    return [isWritten, profile.cells.get("orders")?.written.unproved === true];
  };
  expect(write(1)).toEqual([true, false]);
  profile.hasHints = true;
  expect(write(1)).toEqual([true, true]);
  expect(write(1)).toEqual([false, true]);
  expect(write(2)).toEqual([true, true]);
  const accounts = new Roster("account", LIMITS, 0);
  const account = createProfile("account", "a", 0);
  accounts.load(account);
  writeFigure(accounts, account, { id: "f", name: "seats", value: 1 }, 2);
  expect(account.cells.get("seats")?.written.unproved).toBe(true);
});
