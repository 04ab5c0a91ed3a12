import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { ThreadCalls } from "./thread-calls.js";

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
  await expect(toWorker.ask("fail", [])).rejects.toThrow(new RangeError("too much"));
  toMain.tell("onDone", ["all of it"]);
  await vi.waitFor(() => expect(done).toEqual(["all of it"]));
});
