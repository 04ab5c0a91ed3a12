import { expect, test } from "vitest";
import { LineCounter } from "./line-counter.js";

async function countOf(isCsv: boolean, ...chunks: string[]): Promise<number> {
  const counter = new LineCounter({ isCsv });
  async function* text() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const passed: string[] = [];
  for await (const chunk of counter.pass(text())) passed.push(Buffer.from(chunk).toString());
  expect(passed).toEqual(chunks);
  return counter.count;
}

test("lines are counted, whatever quotes they have", async () => {
  expect(await countOf(false)).toBe(0);
  expect(await countOf(false, '{"a":"\\"', '"}\n{}\n')).toBe(2);
});

test("rows of CSV are counted without newlines inside quotes", async () => {
  expect(await countOf(true, '1,"two\nli', 'nes ""quoted"""\n2,plain\n')).toBe(2);
});
