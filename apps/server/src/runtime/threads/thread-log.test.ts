import { pino } from "pino";
import { expect, test } from "vitest";
import { threadLines, threadLogger } from "./thread-log.js";

test("a line of another thread is logged once, with its level, its fields and its error", () => {
  const lines: string[] = [];
  const logger = pino({ base: undefined }, { write: (line) => lines.push(line) });
  const inThread = threadLogger("info", threadLines(logger));
  inThread.debug("not at this level");
  inThread.error({ err: new RangeError("too far"), stage: "apply" }, "stage failed");
  inThread.info("no fields");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 50,
      time: expect.any(Number),
      err: { type: "RangeError", message: "too far", stack: expect.stringContaining("thread-log.test") },
      stage: "apply",
      msg: "stage failed",
    },
    { level: 30, time: expect.any(Number), msg: "no fields" },
  ]);
  expect(lines[0]?.match(/"time"/g)).toHaveLength(1);
});
