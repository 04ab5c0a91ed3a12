import { expect, test } from "vitest";
import { LANE, type Lane } from "../../domain/entries/lanes.js";
import { BatchBuffer } from "./batch-buffer.js";

const ORGANIZATION = "org";

function part(
  position: number,
  { lane = LANE.live, count = 1, bytes = 10 * count }: { lane?: Lane; count?: number; bytes?: number } = {},
) {
  // The buffer does not look into what is compressed.
  const payload = Buffer.alloc(0);
  return { lane, batch: { position, receivedAt: new Date(0), entryCount: count, payload, bytes } };
}

function openBuffer(): BatchBuffer {
  const buffer = new BatchBuffer();
  buffer.open();
  return buffer;
}

const LIMITS = { maxEntries: 1_000, maxBytes: 100 * 1024 * 1024 };

const positionsAfter = (buffer: BatchBuffer, lane: Lane, position: number, limits: Partial<typeof LIMITS> = {}) =>
  buffer.after(ORGANIZATION, lane, position, { ...LIMITS, ...limits }).map((batch) => batch.position);

test("a buffer that was not opened keeps nothing", () => {
  const buffer = new BatchBuffer();
  buffer.put(ORGANIZATION, [part(1)]);
  expect(positionsAfter(buffer, LANE.live, 0)).toEqual([]);
});

test("batches follow a position without a gap, each lane and each organization for itself", () => {
  const buffer = openBuffer();
  buffer.put(ORGANIZATION, [part(1), part(2), part(4), part(1, { lane: LANE.active })]);
  expect(positionsAfter(buffer, LANE.live, 0)).toEqual([1, 2]);
  expect(positionsAfter(buffer, LANE.live, 2)).toEqual([]);
  expect(positionsAfter(buffer, LANE.live, 3)).toEqual([4]);
  expect(positionsAfter(buffer, LANE.active, 0)).toEqual([1]);
  expect(buffer.after("another", LANE.live, 0, LIMITS)).toEqual([]);
});

test("batches are given until they hold as many entries as wanted, and stay in the buffer", () => {
  const buffer = openBuffer();
  buffer.put(ORGANIZATION, [part(1, { count: 3 }), part(2, { count: 3 }), part(3)]);
  expect(positionsAfter(buffer, LANE.live, 0, { maxEntries: 4 })).toEqual([1, 2]);
  expect(positionsAfter(buffer, LANE.live, 0, { maxEntries: 3 })).toEqual([1]);
  expect(positionsAfter(buffer, LANE.live, 0)).toEqual([1, 2, 3]);
});

test("batches are given until they are as large as wanted", () => {
  const buffer = openBuffer();
  buffer.put(ORGANIZATION, [part(1, { count: 60 }), part(2, { count: 60 }), part(3)]);
  expect(positionsAfter(buffer, LANE.live, 0, { maxBytes: 1_000 })).toEqual([1, 2]);
});

test("applied batches are dropped and make room for new ones", () => {
  const buffer = openBuffer();
  buffer.put(ORGANIZATION, [part(1, { count: 90_000 }), part(1, { lane: LANE.bulk })]);
  buffer.put(ORGANIZATION, [part(2, { count: 20_000 })]);
  // The second batch did not fit.
  expect(positionsAfter(buffer, LANE.live, 1)).toEqual([]);
  buffer.forget(ORGANIZATION, { [LANE.live]: 1 });
  expect(positionsAfter(buffer, LANE.live, 0)).toEqual([]);
  expect(positionsAfter(buffer, LANE.bulk, 0)).toEqual([1]);
  buffer.put(ORGANIZATION, [part(3, { count: 90_000 })]);
  expect(positionsAfter(buffer, LANE.live, 2)).toEqual([3]);
});

test("ten thousand batches are kept at most, however small they are", () => {
  const buffer = openBuffer();
  buffer.put(
    ORGANIZATION,
    Array.from({ length: 10_001 }, (_, index) => part(index + 1)),
  );
  expect(positionsAfter(buffer, LANE.live, 9_999)).toEqual([10_000]);
});

test("the buffer holds 64 MB at most, and the organization that was silent longest makes room", () => {
  const buffer = openBuffer();
  const large = (position: number) => part(position, { bytes: 20 * 1024 * 1024 });
  buffer.put("silent", [large(1)]);
  buffer.put(ORGANIZATION, [large(1), large(2), large(3)]);
  expect(buffer.after("silent", LANE.live, 0, LIMITS)).toEqual([]);
  expect(positionsAfter(buffer, LANE.live, 0)).toEqual([1, 2, 3]);
  buffer.put(ORGANIZATION, [large(4)]);
  expect(positionsAfter(buffer, LANE.live, 0)).toEqual([1, 2, 3]);
  buffer.forget(ORGANIZATION, { [LANE.live]: 3 });
  buffer.put(ORGANIZATION, [large(5)]);
  expect(positionsAfter(buffer, LANE.live, 4)).toEqual([5]);
});
