import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRecordSplitter, IncompleteFile } from "./record-splitter.js";

const MAX_BYTES = 1_000;

/** Splits a text that arrives in pieces. The given sizes of the pieces repeat. */
function split(text: string, sizes: readonly number[] = [65_536], maxBytes = MAX_BYTES) {
  const splitter = createRecordSplitter(maxBytes);
  const bytes = Buffer.from(text);
  const records = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    records.push(...splitter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  records.push(...splitter.end());
  return records.map(({ line, bytes: record }) => ({ line, text: record?.toString("utf8") }));
}

const json = fc.json({ maxDepth: 3 });
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe("lines", () => {
  test("come out one by one, with or without a newline at the end; blank ones are counted and left out", () => {
    expect(split('{"a":1}\r\n\n  \n{"b":2}')).toEqual([
      { line: 1, text: '{"a":1}\r' },
      { line: 4, text: '{"b":2}' },
    ]);
  });

  test("begin after a byte order mark and after blank lines, which are counted", () => {
    expect(split('\ufeff{"a":1}')).toEqual([{ line: 1, text: '{"a":1}' }]);
    expect(split('\n\n{"a":1}\n', [1])).toEqual([{ line: 3, text: '{"a":1}' }]);
  });

  test("come out complete wherever the pieces of the file end", () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1 }), sizes, (records, given) => {
        // A file whose first record is a list is a list.
        fc.pre(!records[0]?.startsWith("["));
        const expected = records.map((text, index) => ({ line: index + 1, text }));
        const text = records.join("\n");
        expect(split(text, given, text.length * 4)).toEqual(expected);
      }),
    );
  });

  test("are found after very much white space, which is neither kept nor read again", () => {
    const splitter = createRecordSplitter(MAX_BYTES);
    const blank = Buffer.alloc(8_192, " \n");
    const startedAt = performance.now();
    for (let turn = 0; turn < 4_000; turn++) splitter.push(blank);
    expect(splitter.push(Buffer.from(' {"a":1}\n'))).toEqual([
      { line: 4_000 * 4_096 + 1, bytes: Buffer.from('{"a":1}') },
    ]);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test("that are too long come without their content, and the next one is complete", () => {
    expect(split(`{"a":"${"x".repeat(5_000)}"}\n{"b":2}\n`, [100])).toEqual([
      { line: 1, text: undefined },
      { line: 2, text: '{"b":2}' },
    ]);
  });
});

describe("a JSON array", () => {
  test("is split at the commas between its elements, not at those inside them", () => {
    const text = ' [ {"a":"],[ \\" }{","b":[1,2,{"c":3}]} ,\n{"d":{}} , 5 ] ';
    const found = split(text).map((record) => JSON.parse(record.text ?? ""));
    expect(found).toEqual([{ a: '],[ " }{', b: [1, 2, { c: 3 }] }, { d: {} }, 5]);
  });

  test("comes out element by element wherever the pieces of the file end", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), sizes, (values, given) => {
        const text = JSON.stringify(values, null, 1);
        const found = split(text, given, text.length * 4);
        expect(found.map(({ text }) => JSON.parse(text ?? ""))).toEqual(JSON.parse(JSON.stringify(values)));
        expect(found.map(({ line }) => line)).toEqual(values.map((_, index) => index + 1));
      }),
    );
  });

  test("that does not end is not a complete file", () => {
    expect(() => split('[{"a":1},{"b":2}')).toThrow(IncompleteFile);
    expect(() => split('[{"a":"]')).toThrow(IncompleteFile);
  });

  test("is refused when more comes after it, and says after which record", () => {
    const after = (place: number) => `More comes after its JSON array, which ends after record ${place}`;
    expect(() => split('[{"a":1},{"b":2}]\n[{"c":3}]')).toThrow(after(2));
    expect(() => split('[] {"a":1}')).toThrow(after(0));
    fc.assert(
      fc.property(
        fc.array(json, { minLength: 1 }),
        fc.constantFrom("]", "}", ",", "0", "["),
        sizes,
        (values, more, given) => {
          const text = `[${values.join(",")}]\n ${more}`;
          expect(() => split(text, given, text.length * 4)).toThrow(after(values.length));
        },
      ),
    );
  });

  test("ends with a bracket, not with a brace", () => {
    expect(() => split('[{"a":1}}')).toThrow("A brace closes its JSON array after record 1");
    expect(() => split('[{"a":1}},{"b":2},{"c":3}]', [1])).toThrow("A brace closes its JSON array after record 1");
  });

  test("may be followed by blank bytes", () => {
    expect(split('[{"a":1}]\r\n\t \n', [3])).toEqual([{ line: 1, text: '{"a":1}' }]);
  });

  test("may be empty", () => {
    expect(split("[]")).toEqual([]);
    expect(split("")).toEqual([]);
  });
});
