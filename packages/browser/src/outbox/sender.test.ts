import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BrowserError } from "../browser-error.js";
import { byteLength } from "../serialise-json.js";
import { MemoryStorage } from "../testing/memory-storage.js";
import { Outbox, type PageRecord, type StoredBatch } from "./outbox.js";
import { MAX_BATCH_BYTES, MAX_FAULTS, MAX_RECORD_BYTES, Sender, type SenderOptions, type Verdict } from "./sender.js";

const TAKEN: Verdict = { kind: "taken", rejected: [] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(options: Partial<SenderOptions> = {}, storage = new MemoryStorage()) {
  const sent: StoredBatch[] = [];
  const left: StoredBatch[] = [];
  const control = { answer: (_batch: StoredBatch): Verdict => TAKEN, visitor: { bid: "browser", sid: "visit" } };
  let ids = 0;
  const sender = new Sender({
    outbox: new Outbox("batch", storage),
    visitor: () => control.visitor,
    createId: () => {
      ids += 1;
      return String(ids);
    },
    now: () => Date.now(),
    send: async (batch) => {
      sent.push(batch);
      return control.answer(batch);
    },
    leave: (batch) => void left.push(batch),
    alone: (work) => work(),
    setTimer: (work, ms) => void setTimeout(work, ms),
    ...options,
  });
  const names = () => sent.map(({ records }) => records.map(({ id }) => id));
  return { sender, sent, left, control, storage, names };
}

const record = (id: string, body: object = {}): PageRecord => ({ id, type: "track", timestamp: "2026-01-01", body });
/** How a promise ended: "taken", the code of its error, or "open". */
function outcomeOf(promise: Promise<void>): () => string {
  let outcome = "open";
  promise.then(
    () => {
      outcome = "taken";
    },
    (error: BrowserError) => {
      outcome = error.code;
    },
  );
  return () => outcome;
}

describe("the sender", () => {
  test("sends records of the same moment together, in their order", async () => {
    const { sender, names } = open();
    const outcomes = ["a", "b", "c"].map((id) => outcomeOf(sender.add(record(id))));
    await vi.runAllTimersAsync();
    expect(names()).toEqual([["a", "b", "c"]]);
    expect(outcomes.map((outcome) => outcome())).toEqual(["taken", "taken", "taken"]);
  });

  test("makes batches that the browser sends after the page is gone", async () => {
    const { sender, sent } = open();
    const text = "ü".repeat(5_000);
    for (let at = 0; at < 20; at += 1) void sender.add(record(String(at), { text }));
    await vi.runAllTimersAsync();
    expect(sent.flatMap(({ records }) => records.map(({ id }) => Number(id)))).toEqual(
      Array.from({ length: 20 }, (_, at) => at),
    );
    for (const batch of sent) expect(byteLength(JSON.stringify(batch.records))).toBeLessThan(MAX_BATCH_BYTES + 1_000);
  });

  test("refuses a record that the server would never take, and sends the others", async () => {
    const { sender, names } = open();
    const large = outcomeOf(sender.add(record("large", { text: "x".repeat(MAX_RECORD_BYTES) })));
    void sender.add(record("small"));
    await vi.runAllTimersAsync();
    expect([large(), names()]).toEqual(["invalid_argument", [["small"]]]);
  });

  test("sends nothing while the server has asked for a pause, however much is recorded", async () => {
    const { sender, sent, control, names } = open();
    control.answer = () => ({ kind: "again", waitMs: 30_000 });
    for (let at = 0; at < 10; at += 1) {
      void sender.add(record(String(at)));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(sent).toHaveLength(1);
    control.answer = () => TAKEN;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(names().slice(1).flat()).toEqual(Array.from({ length: 10 }, (_, at) => String(at)));
  });

  test.each([0, -5, 1e12])("does not take a pause of %i ms literally", async (waitMs) => {
    const { sender, sent, control } = open();
    control.answer = () => ({ kind: "again", waitMs });
    void sender.add(record("a"));
    await vi.advanceTimersByTimeAsync(900);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(sent.length).toBeGreaterThan(1);
  });

  test("retries an unavailable server less and less often, and at once when the browser is online", async () => {
    const { sender, sent, control } = open();
    control.answer = () => ({ kind: "again" });
    void sender.add(record("a"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent.length).toBeGreaterThan(4);
    expect(sent.length).toBeLessThan(12);
    const before = sent.length;
    control.answer = () => TAKEN;
    sender.retry();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(before + 1);
  });

  test("goes on with the other batches after a batch that is refused for ever", async () => {
    const { sender, control, names } = open();
    control.answer = ({ records }) =>
      records[0]?.id === "bad" ? { kind: "never", error: new BrowserError("refused", "no") } : TAKEN;
    const bad = outcomeOf(sender.add(record("bad")));
    sender.flush();
    const good = outcomeOf(sender.add(record("good")));
    await vi.runAllTimersAsync();
    expect([bad(), good(), names()]).toEqual(["refused", "taken", [["bad"], ["good"]]]);
  });

  test("goes on with the other batches after a batch that makes the server fail each time, and keeps that batch", async () => {
    const { sender, control, names, storage } = open();
    control.answer = ({ records }) => (records[0]?.id === "poison" ? { kind: "again", isFault: true } : TAKEN);
    const poison = outcomeOf(sender.add(record("poison")));
    sender.flush();
    const good = outcomeOf(sender.add(record("good")));
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect([poison(), good()]).toEqual(["refused", "taken"]);
    expect(names()).toEqual([...Array.from({ length: MAX_FAULTS }, () => ["poison"]), ["good"]]);
    expect(storage.keys()).toHaveLength(1);
  });

  test("sends a record that comes while the lock is being released", async () => {
    // A browser releases the lock some time after the work has ended.
    const alone = async (work: () => Promise<void>) => {
      await work();
      await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const { sender, names } = open({ alone });
    void sender.add(record("first"));
    await vi.advanceTimersByTimeAsync(50);
    const second = outcomeOf(sender.add(record("second")));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([second(), names()]).toEqual(["taken", [["first"], ["second"]]]);
  });

  test("tells which records of a batch the server has refused", async () => {
    const { sender, control } = open();
    control.answer = () => ({ kind: "taken", rejected: [{ index: 1, message: "no" }] });
    const outcomes = ["a", "b"].map((id) => outcomeOf(sender.add(record(id))));
    await vi.runAllTimersAsync();
    expect(outcomes.map((outcome) => outcome())).toEqual(["taken", "refused"]);
  });

  test("says that records are lost when they had to make room for others", async () => {
    const { sender, control } = open();
    control.answer = () => ({ kind: "again", waitMs: 60_000 });
    const first = outcomeOf(sender.add(record("first")));
    for (let at = 0; at < 30; at += 1) {
      sender.add(record(String(at), { text: "x".repeat(45_000) })).catch(() => undefined);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(first()).toBe("unreachable");
  });

  test("sends what an earlier page has left, before its own", async () => {
    const storage = new MemoryStorage();
    // The page is gone before it gets the lock.
    const earlier = open({ alone: () => new Promise(() => undefined) }, storage);
    void earlier.sender.add(record("earlier"));
    earlier.sender.leave();
    expect(earlier.left).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5);
    const later = open({}, storage);
    void later.sender.add(record("later"));
    await vi.advanceTimersByTimeAsync(15);
    later.sender.flush();
    await vi.advanceTimersByTimeAsync(0);
    expect(later.names()).toEqual([["earlier"], ["later"]]);
  });

  test("resolves records that another tab has sent", async () => {
    const { sender, storage } = open({
      alone: async (work) => {
        storage.values.clear();
        await work();
      },
    });
    const outcome = outcomeOf(sender.add(record("a")));
    await vi.runAllTimersAsync();
    expect(outcome()).toBe("taken");
  });

  test("keeps the visitor of the moment when a record was made", async () => {
    const { sender, sent, control } = open();
    void sender.add(record("a"));
    control.visitor = { bid: "somebody else", sid: "visit" };
    await vi.runAllTimersAsync();
    expect(sent[0]?.visitor.bid).toBe("browser");
  });

  test("hands the browser all batches that would be lost with the page", () => {
    const { sender, left, storage } = open({ alone: () => new Promise(() => undefined) });
    storage.isFull = true;
    for (const id of ["a", "b"]) {
      void sender.add(record(id));
      sender.flush();
    }
    sender.leave();
    expect(left.map(({ records }) => records[0]?.id)).toEqual(["a", "b"]);
  });

  test("drops everything when the visitor opts out", async () => {
    const { sender, sent, storage } = open();
    const outcome = outcomeOf(sender.add(record("a")));
    sender.clear(new BrowserError("opted_out", "no"));
    await vi.runAllTimersAsync();
    expect([outcome(), sent, storage.keys()]).toEqual(["opted_out", [], []]);
  });
});
