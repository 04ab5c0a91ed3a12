import { expect, test, vi } from "vitest";
import { NO_CHANGE } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import { createProfile } from "../../domain/profiles/profile.js";
import { type AppliedChange, ChangeBuffer } from "./change-buffer.js";

const ORGANIZATION = "org";

function change(sequence: number): AppliedChange {
  return { sequence, lane: LANE.live, position: sequence, change: NO_CHANGE, profiles: [] };
}

function filledWith(...sequences: number[]): ChangeBuffer {
  const buffer = new ChangeBuffer();
  for (const sequence of sequences) buffer.put(ORGANIZATION, change(sequence));
  return buffer;
}

const takenAfter = (buffer: ChangeBuffer, sequence: number) =>
  buffer.takeAfter(ORGANIZATION, sequence).map((taken) => taken.sequence);

test("changes are taken that follow a sequence without a gap, and only once", () => {
  const buffer = filledWith(3, 4, 6);
  expect(takenAfter(buffer, 2)).toEqual([3, 4]);
  expect(takenAfter(buffer, 2)).toEqual([]);
  expect(takenAfter(buffer, 5)).toEqual([6]);
});

test("changes that the cursor has passed are dropped", () => {
  const buffer = filledWith(1, 2, 3);
  expect(takenAfter(buffer, 5)).toEqual([]);
  expect(takenAfter(buffer, 0)).toEqual([]);
});

test("a full buffer is emptied before it takes another change", () => {
  const buffer = filledWith(1, 2, 3, 4, 5);
  expect(takenAfter(buffer, 0)).toEqual([]);
  expect(takenAfter(buffer, 4)).toEqual([5]);
});

test("waiting for room ends when changes are taken", async () => {
  const buffer = filledWith(1, 2, 3, 4);
  const hasRoom = vi.fn();
  const waiting = buffer.waitForRoom(ORGANIZATION).then(hasRoom);
  await new Promise(setImmediate);
  expect(hasRoom).not.toHaveBeenCalled();
  expect(takenAfter(buffer, 0)).toEqual([1, 2, 3, 4]);
  await waiting;
  // With room there is nothing to wait for.
  await buffer.waitForRoom(ORGANIZATION);
});

test("written evaluations are remembered until the cursor has passed them", () => {
  const buffer = new ChangeBuffer();
  buffer.noteWrittenEvaluation(ORGANIZATION, 3);
  buffer.noteWrittenEvaluation(ORGANIZATION, 5);
  buffer.takeAfter(ORGANIZATION, 3);
  expect([...buffer.writtenEvaluations(ORGANIZATION)]).toEqual([5]);
});

test("a cleared buffer holds no change and no written evaluation", () => {
  const buffer = filledWith(1);
  buffer.noteWrittenEvaluation(ORGANIZATION, 1);
  buffer.clear(ORGANIZATION);
  expect(takenAfter(buffer, 0)).toEqual([]);
  expect(buffer.writtenEvaluations(ORGANIZATION).size).toBe(0);
});

test("the buffer holds 64 MB at most, and a change that does not fit takes the place of other organizations'", () => {
  const large = (sequence: number): AppliedChange => {
    const profile = createProfile("user", "u", 0);
    profile.cells.set("text", { value: "x".repeat(10 * 1024 * 1024), at: 0, source: "" });
    return { ...change(sequence), profiles: [profile] };
  };
  const buffer = new ChangeBuffer();
  buffer.put("silent", large(1));
  for (const sequence of [1, 2, 3]) buffer.put(ORGANIZATION, large(sequence));
  expect(buffer.takeAfter("silent", 0)).toEqual([]);
  buffer.put(ORGANIZATION, large(4));
  expect(takenAfter(buffer, 0)).toEqual([1, 2, 3]);
  buffer.put(ORGANIZATION, large(5));
  expect(takenAfter(buffer, 4)).toEqual([5]);
});
