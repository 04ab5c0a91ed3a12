import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.js";
import { MAX_BATCHES, Outbox, type PageRecord } from "./outbox.js";

const visitor = { bid: "browser", sid: "visit" };
const record = (name: string): PageRecord => ({
  id: name,
  type: "track",
  timestamp: "2026-01-01T00:00:00.000Z",
  body: { event: name },
});
const open = (storage = new MemoryStorage()) => ({ storage, outbox: new Outbox("svc:batch:p1", storage) });
const add = (outbox: Outbox, name: string, now = 1_000, id = name) =>
  outbox.add({ visitor, records: [record(name)] }, now, id);

/** Takes all batches out, the oldest first. */
function takeAll(outbox: Outbox): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (let batch = outbox.first(); batch; batch = outbox.first()) {
    names.push(batch.records[0]?.id);
    outbox.remove(batch.key);
  }
  return names;
}

describe("the outbox", () => {
  test("keeps the order of batches of the same millisecond, and when the clock is set back", () => {
    const { outbox } = open();
    for (const [name, id] of [
      ["a", "9"],
      ["b", "5"],
      ["c", "1"],
    ] as const)
      add(outbox, name, 1_000, id);
    add(outbox, "d", 500, "0");
    expect(takeAll(outbox)).toEqual(["a", "b", "c", "d"]);
  });

  test("is shared by tabs, and apart from that of another platform", () => {
    const { storage, outbox } = open();
    add(outbox, "a");
    expect(new Outbox("svc:batch:p1", storage).first()?.records).toEqual([record("a")]);
    expect(new Outbox("svc:batch:p2", storage).first()).toBeUndefined();
  });

  test("drops the oldest batches when there are too many, and says which", () => {
    const { outbox } = open();
    const added = Array.from({ length: MAX_BATCHES + 2 }, (_, at) => add(outbox, String(at)));
    expect(added.flatMap(({ dropped }) => dropped)).toEqual(added.slice(0, 2).map(({ key }) => key));
    expect(outbox.keys()).toHaveLength(MAX_BATCHES);
  });

  test("drops the oldest batches when they are too large together", () => {
    const { outbox } = open();
    for (let at = 0; at < 4; at += 1) add(outbox, String(at).repeat(400_000));
    expect(outbox.keys()).toHaveLength(2);
  });

  test("holds batches on the page when the storage is full", () => {
    const { storage, outbox } = open();
    add(outbox, "stored");
    storage.isFull = true;
    add(outbox, "held");
    expect(outbox.notStored().map(({ records }) => records[0]?.id)).toEqual(["held"]);
    expect(takeAll(outbox)).toEqual(["stored", "held"]);
  });

  test.each(["", "{", "null", '{"visitor":{}}'])("removes %j, which another script has written", (text) => {
    const { storage, outbox } = open();
    storage.set("svc:batch:p1:0", text);
    add(outbox, "a");
    expect(takeAll(outbox)).toEqual(["a"]);
  });

  test("passes over batches that are skipped", () => {
    const { outbox } = open();
    const { key } = add(outbox, "a");
    add(outbox, "b");
    expect(outbox.first(new Set([key]))?.records[0]?.id).toBe("b");
  });
});
