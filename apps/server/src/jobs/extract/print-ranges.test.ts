import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { KeyRange, RowKey } from "../../storage/questions/extracting.js";
import { printRanges } from "./print-ranges.js";

const PIECES = 3;

/** Ranges 1 to `last`, each printed in some pieces. `told` has what the engine did, in order. */
function engine(last: number, failingIn?: number) {
  const told: string[] = [];
  const printer = {
    async nextRange(after: RowKey | undefined): Promise<KeyRange | undefined> {
      const id = Number(after?.id ?? 0) + 1;
      return id > last ? undefined : { after, until: { id } };
    },
    async *print({ until: { id } }: KeyRange): AsyncGenerator<Uint8Array> {
      told.push(`begin ${id}`);
      try {
        for (let piece = 1; piece <= PIECES; piece++) {
          await setImmediate();
          if (id === failingIn) throw new Error(`range ${id} failed`);
          yield Buffer.from(`${id}.${piece} `);
        }
      } finally {
        told.push(`end ${id}`);
      }
    },
  };
  return { told, printer };
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text;
}

test("all ranges come in their order, and the next two begin before one is taken", async () => {
  const { told, printer } = engine(5);
  const texts: [unknown, string][] = [];
  for await (const { range, pieces } of printRanges(printer, undefined)) {
    texts.push([range.until.id, await textOf(pieces)]);
  }
  expect(texts).toEqual([
    [1, "1.1 1.2 1.3 "],
    [2, "2.1 2.2 2.3 "],
    [3, "3.1 3.2 3.3 "],
    [4, "4.1 4.2 4.3 "],
    [5, "5.1 5.2 5.3 "],
  ]);
  const begun = ["begin 1", "begin 2", "begin 3", "end 1", "begin 4", "end 2", "begin 5", "end 3", "end 4", "end 5"];
  expect(told).toEqual(begun);
});

test("ranges before a key are left out, and no range is no error", async () => {
  const { printer } = engine(3);
  const found: unknown[] = [];
  for await (const { range, pieces } of printRanges(printer, { id: 2 })) {
    found.push(range);
    await textOf(pieces);
  }
  expect(found).toEqual([{ after: { id: 2 }, until: { id: 3 } }]);
  for await (const _ of printRanges(printer, { id: 3 })) throw new Error("There is no range after the last one.");
});

test("a caller who leaves ends the ranges that have begun", async () => {
  const { told, printer } = engine(5);
  for await (const { pieces } of printRanges(printer, undefined)) {
    await textOf(pieces);
    break;
  }
  expect(told).toEqual(["begin 1", "begin 2", "begin 3", "end 1", "end 2", "end 3"]);
});

test("a range that fails throws when its turn comes, after the ranges before it", async () => {
  const { told, printer } = engine(5, 2);
  const texts: string[] = [];
  const reading = async () => {
    for await (const { pieces } of printRanges(printer, undefined)) texts.push(await textOf(pieces));
  };
  await expect(reading()).rejects.toThrow("range 2 failed");
  expect(texts).toEqual(["1.1 1.2 1.3 "]);
  expect(told.filter((each) => each.startsWith("begin")).length).toBe(
    told.filter((each) => each.startsWith("end")).length,
  );
});
