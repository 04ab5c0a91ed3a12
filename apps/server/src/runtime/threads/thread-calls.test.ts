import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Refusal } from "@muster/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { ThreadCalls, Transferred } from "./thread-calls.js";
import { errorKind, ThreadErrors } from "./thread-errors.js";

class Known extends Error {}

interface Worker {
  add(one: number, other: number): Promise<number>;
  fail(): Promise<void>;
  note(text: string, bytes: Uint8Array): void;
}
interface Main {
  onDone(text: string): void;
}

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function connect(worker: Worker, main: Main): { toWorker: ThreadCalls<Worker>; toMain: ThreadCalls<Main> } {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  return { toWorker: new ThreadCalls<Worker>(port1, main), toMain: new ThreadCalls<Main>(port2, worker) };
}

test("both threads call each other, and buffers are given away with a call", async () => {
  const noted: string[] = [];
  const done: string[] = [];
  const { toWorker, toMain } = connect(
    {
      add: async (one, other) => one + other,
      async fail() {
        throw new RangeError("too much");
      },
      note: (text, bytes) => noted.push(`${text} ${bytes.length}`),
    },
    { onDone: (text) => done.push(text) },
  );
  const bytes = new Uint8Array(5);
  toWorker.tell("note", ["first", bytes], [bytes.buffer]);
  expect(bytes.length).toBe(0);
  expect(await Promise.all([toWorker.ask("add", [1, 2]), toWorker.ask("add", [3, 4])])).toEqual([3, 7]);
  // Calls arrive in their order.
  expect(noted).toEqual(["first 5"]);
  await expect(toWorker.ask("fail", [])).rejects.toMatchObject({ name: "RangeError", message: "too much" });
  toMain.tell("onDone", ["all of it"]);
  await vi.waitFor(() => expect(done).toEqual(["all of it"]));
});

test("errors keep their class when both threads know it, and otherwise name, code, stack and cause", async () => {
  const fails = [
    new Refusal("conflict", "taken", { details: [{ path: "email", message: "is taken" }], retryAfter: 3 }),
    new Error("outer", { cause: Object.assign(new RangeError("inner"), { code: "ERR_INNER" }) }),
    new Known("as it was"),
    "no error at all",
  ];
  const errors = new ThreadErrors([
    errorKind({
      kind: "known",
      type: Known,
      encode: ({ message }) => message,
      decode: (message) => new Known(message),
    }),
  ]);
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  new ThreadCalls(port2, { fail: async (index: number) => Promise.reject(fails[index]) }, errors);
  const calls = new ThreadCalls<{ fail(index: number): Promise<void> }>(port1, {}, errors);
  const [refusal, other, known, text] = await Promise.all(
    fails.map((_, index) => calls.ask("fail", [index]).catch((error: unknown) => error)),
  );
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: "conflict", details: [{ path: "email" }], retryAfter: 3 });
  expect(other).toMatchObject({ message: "outer", cause: { name: "RangeError", message: "inner", code: "ERR_INNER" } });
  expect((other as Error).stack).toContain("thread-calls.test");
  expect(known).toBeInstanceOf(Known);
  expect(text).toMatchObject({ name: "Error", message: "no error at all" });
});

test("buffers are given away with an answer, and nobody waits for an answer that cannot come", async () => {
  const bytes = new Uint8Array(7);
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  new ThreadCalls(port2, {
    give: async () => new Transferred(bytes, [bytes.buffer]),
    wait: () => new Promise(() => {}),
  });
  const calls = new ThreadCalls<{ give(): Promise<Transferred<Uint8Array>>; wait(): Promise<void> }>(port1, {});
  expect((await calls.ask("give", [])).length).toBe(7);
  expect(bytes.length).toBe(0);
  const waiting = calls.ask("wait", []);
  expect(calls.unanswered).toBe(1);
  calls.end(new Error("it is over"));
  await expect(waiting).rejects.toThrow("it is over");
  await expect(calls.ask("give", [])).rejects.toThrow("it is over");
});
