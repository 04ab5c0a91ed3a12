import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { hideAttributes } from "./hide-attributes.js";

const LINES = [
  { id: "1", traits_secret: "ä", traits_plan: "pro", account: { id: "a", traits_secret: 1, traits_size: 2 } },
  { id: "2", traits_plan: "free", account: null },
  { id: "3", traits_secret: null },
]
  .map((report) => `${JSON.stringify(report)}\n`)
  .join("");

test.for([1, 2, 7, 50, 1_000])(
  "hidden attributes are removed when the file comes in pieces of %i bytes",
  async (size) => {
    const bytes = Buffer.from(LINES);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const shown = hideAttributes(Readable.from(pieces), { own: ["traits_secret"], account: ["traits_size"] });
    expect(
      (await text(shown))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { id: "1", traits_plan: "pro", account: { id: "a", traits_secret: 1 } },
      { id: "2", traits_plan: "free", account: null },
      { id: "3" },
    ]);
  },
);
