import { expect, test, vi } from "vitest";
import { NO_CHANGE } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import { type AppliedChange, ChangeBuffer } from "./change-buffer.js";

const ORGANIZATION = "org";
const MB = 1024 * 1024;

function change(sequence: number): AppliedChange {
  return { sequence, lane: LANE.live, position: sequence, change: NO_CHANGE, profiles: [] };
}

function filledWith(...sequences: number[]): ChangeBuffer {
  const buffer = new ChangeBuffer();
  for (const sequence of sequences) buffer.put(ORGANIZATION, change(sequence), 0);
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

test("waiting for an empty buffer ends when its last change is taken", async () => {
  const buffer = filledWith(1);
  const isEmpty = vi.fn();
  const waiting = buffer.waitForRoom(ORGANIZATION, 1).then(isEmpty);
  await new Promise(setImmediate);
  expect(isEmpty).not.toHaveBeenCalled();
  expect(takenAfter(buffer, 0)).toEqual([1]);
  await waiting;
});

test("a cleared buffer holds no change", () => {
  const buffer = filledWith(1);
  buffer.clear(ORGANIZATION, 2);
  expect(takenAfter(buffer, 0)).toEqual([]);
});

test("the buffer holds 64 MB at most, and a change that does not fit takes the place of other organizations'", () => {
  const buffer = new ChangeBuffer();
  buffer.put("silent", change(1), 20 * MB);
  for (const sequence of [1, 2, 3]) buffer.put(ORGANIZATION, change(sequence), 20 * MB);
  expect(buffer.takeAfter("silent", 0)).toEqual([]);
  expect(takenAfter(buffer, 0)).toEqual([1, 2, 3]);
  buffer.put(ORGANIZATION, change(4), 20 * MB);
  expect(takenAfter(buffer, 3)).toEqual([4]);
});

test("when a change does not fit, none before it is kept, so that the relay reads all of them from the log", () => {
  const buffer = new ChangeBuffer();
  for (const sequence of [1, 2, 3]) buffer.put(ORGANIZATION, change(sequence), 20 * MB);
  buffer.put(ORGANIZATION, change(4), 20 * MB);
  expect(takenAfter(buffer, 0)).toEqual([]);
  buffer.put(ORGANIZATION, change(5), 20 * MB);
  expect(takenAfter(buffer, 4)).toEqual([5]);
});

test("a change that comes after a later one was dropped is not kept", () => {
  const cleared = filledWith(1);
  cleared.clear(ORGANIZATION, 3);
  cleared.put(ORGANIZATION, change(2), 1);
  cleared.put(ORGANIZATION, change(4), 1);
  expect(takenAfter(cleared, 1)).toEqual([]);
  expect(takenAfter(cleared, 3)).toEqual([4]);

  const full = filledWith(2, 3, 4, 5, 6);
  full.put(ORGANIZATION, change(1), 1);
  expect(takenAfter(full, 0)).toEqual([]);
  expect(takenAfter(full, 5)).toEqual([6]);
});
