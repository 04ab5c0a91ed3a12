import { expect, test } from "vitest";
import { NO_CHANGE } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import { createProfile } from "../../domain/profiles/profile.js";
import { ShownStates } from "./shown-states.js";

const ORGANIZATION = "000000000000010000000000";
const profile = createProfile("user", "000000000000020000000000", 0);

const change = (sequence: number) => ({
  sequence,
  lane: LANE.live,
  position: sequence,
  change: NO_CHANGE,
  profiles: [profile],
});

test("a subject that was shown as it is at present is not shown again as an earlier change left it", () => {
  const shown = new ShownStates();
  const isUsable = (...sequences: number[]) => shown.usable(ORGANIZATION, sequences.map(change)).has(profile.id);
  expect(isUsable(6)).toBe(true);
  // A message about change 5 has shown what change 8 may have left.
  shown.note(ORGANIZATION, [profile.id], { last: 5, head: 8 });
  expect([isUsable(6), isUsable(7, 8), isUsable(8, 9)]).toEqual([false, false, true]);
  expect(shown.usable("000000000000010000000001", [change(6)]).size).toBe(1);
  // It was read once more for a message about change 7, and change 9 was made meanwhile.
  shown.note(ORGANIZATION, [profile.id], { last: 7, head: 9 });
  expect([isUsable(9), isUsable(10)]).toEqual([false, true]);
  shown.note(ORGANIZATION, [], { last: 9, head: 12 });
  expect(isUsable(10)).toBe(true);
});

test("nothing is remembered of subjects while no change waits", () => {
  const shown = new ShownStates();
  shown.note(ORGANIZATION, [profile.id], { last: 5, head: 5 });
  expect(shown.usable(ORGANIZATION, [change(5)]).size).toBe(1);
});
