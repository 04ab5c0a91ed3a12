import { expect, test } from "vitest";
import { judgeSlopes, warmUpSeconds } from "./judge-slopes.js";
import { samplesOf } from "./sample.test.kit.js";
import { samplesCsv } from "./samples-csv.js";

const MEMORY = { server: 400, backend: 100, checkpointer: 60, background: 40 };

const growing = (...given: Parameters<typeof samplesOf>) =>
  judgeSlopes({ samples: samplesOf(...given), acknowledgeMs: [] }).flatMap(({ figure, isFlat }) =>
    isFlat ? [] : [figure],
  );

test("level memory and lag, and files that grow evenly with the records, are flat", () => {
  expect(growing(() => ({}))).toEqual([]);
});

test("peaks and growth in the warm-up count as flat", () => {
  const server = (index: number) => (index < 18 ? 100 + index * 15 : index % 9 === 0 ? 900 : 400);
  expect(growing((index) => ({ memoryMb: { ...MEMORY, server: server(index) } }))).toEqual([]);
});

test("memory that grows steadily is found, by kind of process", () => {
  expect(growing((index) => ({ memoryMb: { ...MEMORY, server: 400 + index * 5 } }))).toEqual(["memory of the server"]);
  expect(growing((index) => ({ memoryMb: { ...MEMORY, backend: 100 + index * 5 } }))).toEqual([
    "memory of PostgreSQL's backends",
  ]);
  expect(growing((index) => ({ heapMb: 100 + index * 5 }))).toEqual(["JavaScript heap"]);
});

test("handles that are not closed are found", () => {
  expect(growing((index) => ({ handles: 60 + index }))).toEqual(["open files and sockets"]);
});

test("a stage that falls behind is found", () => {
  expect(growing((index) => ({ lagMs: { apply: 5, search: index * 100 } }))).toEqual(["lag: search"]);
});

test("acknowledgements that become slower are found", () => {
  const acknowledgeMs = Array.from({ length: 180 }, (_, second) => [second, 20 + second] as const);
  const slopes = judgeSlopes({ samples: samplesOf(() => ({})), acknowledgeMs });
  expect(slopes.filter(({ isFlat }) => !isFlat).map(({ figure }) => figure)).toEqual(["acknowledge p99"]);
});

test("a table of users that grows is found, although the number of users stays the same", () => {
  const tables = (index: number) => ({ users: { mb: 50 + index, live: 100, dead: 0 } });
  expect(growing((index) => ({ tables: tables(index) }))).toEqual(["tables of users and accounts"]);
});

test("logs of which each record takes more and more are found", () => {
  const tables = (index: number) => ({ changes: { mb: (index * index) / 10, live: 100, dead: 0 } });
  expect(growing((index) => ({ tables: tables(index) }))).toEqual(["all other tables"]);
});

test("a file that grows faster because there are more records is flat", () => {
  expect(growing((index) => ({ records: index * index * 100, engineMb: index * index }))).toEqual([]);
});

test("dead rows that are not removed are found", () => {
  const tables = (index: number) => ({ users: { mb: 50, live: 100 - index, dead: index } });
  expect(growing((index) => ({ tables: tables(index) }))).toEqual(["dead rows in PostgreSQL"]);
});

test("a slope is in units an hour, and what is allowed becomes less the longer the run is", () => {
  const find = (count: number) => {
    const samples = samplesOf((index) => ({ memoryMb: { ...MEMORY, server: 400 + index * 0.3 } }), count);
    return judgeSlopes({ samples, acknowledgeMs: [] }).find(({ figure }) => figure === "memory of the server");
  };
  expect(find(60)?.perHour).toBeCloseTo(360);
  expect(find(60)?.isFlat).toBe(true);
  expect(find(600)?.perHour).toBeCloseTo(360);
  expect(find(600)?.isFlat).toBe(false);
});

test("the warm-up is a third of the run, and at most 15 minutes", () => {
  expect(warmUpSeconds(samplesOf(() => ({}), 61))).toBe(60);
  expect(warmUpSeconds(samplesOf(() => ({}), 1_201))).toBe(900);
});

test("without samples nothing is judged", () => {
  expect(judgeSlopes({ samples: [], acknowledgeMs: [] })).toEqual([]);
});

test("samples are kept as CSV, with a column for each figure", () => {
  const [head, first, second] = samplesCsv(samplesOf(() => ({}), 2)).split("\n");
  expect(head).toContain("second,records,memoryMb.server");
  expect(head).toContain("tables.users.dead");
  expect(first?.split(",")).toHaveLength(head?.split(",").length ?? 0);
  expect(second?.startsWith("3,9000,400,")).toBe(true);
});
