import { expect, test } from "vitest";
import { CHANGE_BYTES } from "./change-buffer.js";
import { FittingSizes } from "./fitting-sizes.js";

const ORGANIZATION = "org";

/** The sizes of changes that follow each other, each as large as it may be, about profiles of so many bytes. */
function sizesOf(sizes: FittingSizes, bytes: number, changes: number): number[] {
  return Array.from({ length: changes }, () => {
    const size = sizes.of(ORGANIZATION);
    sizes.note(ORGANIZATION, size, size * bytes);
    return size;
  });
}

const open = () => new FittingSizes({ first: 2_000, most: 4_000, least: 100 });

test("after a change that was too large, the next ones fit", () => {
  const sizes = open();
  expect(sizesOf(sizes, CHANGE_BYTES / 1_000, 3)).toEqual([2_000, 1_000, 1_000]);
  expect(sizes.of("other")).toBe(2_000);
});

test("sizes grow again when profiles are small, and double at most", () => {
  const sizes = open();
  sizesOf(sizes, CHANGE_BYTES / 300, 1);
  expect(sizesOf(sizes, 1_000, 6)).toEqual([300, 600, 1_200, 2_400, 4_000, 4_000]);
});

test("large profiles have a least size", () => {
  expect(sizesOf(open(), CHANGE_BYTES, 3)).toEqual([2_000, 100, 100]);
});

test("a small change that fits says nothing about large ones, and one that does not fit does", () => {
  const sizes = open();
  sizesOf(sizes, CHANGE_BYTES / 1_000, 1);
  sizes.note(ORGANIZATION, 10, 10);
  expect(sizes.of(ORGANIZATION)).toBe(1_000);
  sizes.note(ORGANIZATION, 600, CHANGE_BYTES * 2);
  expect(sizes.of(ORGANIZATION)).toBe(300);
});

test("after a failure the sizes stay below the one that has failed, and only seldom try it again", () => {
  const sizes = open();
  const TOO_LARGE = 1_500;
  const failures: number[] = [];
  let done = 0;
  for (let change = 0; change < 200; change++) {
    const size = sizes.of(ORGANIZATION);
    if (size >= TOO_LARGE) {
      sizes.failed(ORGANIZATION);
      failures.push(size);
    } else {
      sizes.note(ORGANIZATION, size, size);
      done += size;
    }
  }
  // 2,000, then the same size once in 33 changes.
  expect(failures).toEqual([2_000, ...Array(6).fill(1_500)]);
  // The steps get through nearly as much as if the largest size that works were known.
  expect(done).toBeGreaterThan(0.6 * 200 * TOO_LARGE);
});

test("after failures the sizes are halved down to one, stay there for a while, and rise ever sooner", () => {
  const sizes = open();
  const failed = Array.from({ length: 13 }, () => {
    sizes.failed(ORGANIZATION);
    return sizes.of(ORGANIZATION);
  });
  expect(failed).toEqual([1_000, 500, 250, 125, 62, 31, 15, 7, 3, 1, 1, 1, 1]);
  expect(sizesOf(sizes, CHANGE_BYTES, 32)).toEqual(Array(32).fill(1));
  const risen = sizesOf(sizes, CHANGE_BYTES, 45);
  expect([...new Set(risen)]).toEqual([2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 86, 100]);
  expect(sizes.of("other")).toBe(2_000);
});
