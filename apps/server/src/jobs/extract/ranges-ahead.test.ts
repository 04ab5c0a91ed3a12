import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { KeyRange, RowKey } from "../../storage/questions/extracting.js";
import { rangesAhead } from "./ranges-ahead.js";

/** Ranges 1 to `last`. `told` has what was done, in order. */
function engine(last: number, failingIn?: number) {
  const told: string[] = [];
  const working = {
    async nextRange(after: RowKey | undefined): Promise<KeyRange | undefined> {
      const id = Number(after?.id ?? 0) + 1;
      return id > last ? undefined : { after, until: { id } };
    },
    async work({ until: { id } }: KeyRange): Promise<string> {
      told.push(`begin ${id}`);
      await setImmediate();
      if (id === failingIn) throw new Error(`range ${id} failed`);
      return `file ${id}`;
    },
    free: async (work: string) => told.push(`free ${work}`),
  };
  return { told, working };
}

test("all ranges come in their order, and the next two begin before one is taken", async () => {
  const { told, working } = engine(4);
  for await (const { range, work } of rangesAhead(working, undefined)) {
    expect(work).toBe(`file ${range.until.id}`);
    await setImmediate();
    told.push(`take ${range.until.id}`);
  }
  expect(told).toEqual([
    ...["begin 1", "begin 2", "begin 3", "take 1", "free file 1"],
    ...["begin 4", "take 2", "free file 2", "take 3", "free file 3", "take 4", "free file 4"],
  ]);
});

test("ranges before a key are left out, and no range is no error", async () => {
  const { working } = engine(3);
  const found: unknown[] = [];
  for await (const { range } of rangesAhead(working, { id: 2 })) found.push(range);
  expect(found).toEqual([{ after: { id: 2 }, until: { id: 3 } }]);
  for await (const _ of rangesAhead(working, { id: 3 })) throw new Error("There is no range after the last one.");
});

test("a caller who leaves frees the ranges that have begun", async () => {
  const { told, working } = engine(5);
  for await (const _ of rangesAhead(working, undefined)) break;
  expect(told).toEqual(["begin 1", "begin 2", "begin 3", "free file 1", "free file 2", "free file 3"]);
});

test("a range that fails throws when its turn comes, after the ranges before it", async () => {
  const { told, working } = engine(5, 2);
  const taken: unknown[] = [];
  const reading = async () => {
    for await (const { work } of rangesAhead(working, undefined)) taken.push(work);
  };
  await expect(reading()).rejects.toThrow("range 2 failed");
  expect(taken).toEqual(["file 1"]);
  expect(told.filter((each) => each.startsWith("free"))).toEqual(["free file 1", "free file 3"]);
});
