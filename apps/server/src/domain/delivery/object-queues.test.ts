import fc from "fast-check";
import { expect, test } from "vitest";
import { ObjectQueues, type WaitingMessage } from "./object-queues.js";

const message = (objectId: string, position: number, place = 0): WaitingMessage => ({ objectId, position, place });

function queuesWith(...messages: WaitingMessage[]): ObjectQueues<WaitingMessage> {
  const queues = new ObjectQueues<WaitingMessage>();
  for (const each of messages) queues.add(each);
  return queues;
}

test("of each object only the first message can be taken, until it is removed", () => {
  const [a1, a2, b1] = [message("a", 1), message("a", 2), message("b", 3)];
  const queues = queuesWith(a1, a2, b1);
  expect(queues.take(10)).toEqual([a1, b1]);
  expect(queues.take(10)).toEqual([]);
  queues.remove(a1);
  expect(queues.take(10)).toEqual([a2]);
  expect(queues.size).toBe(2);
});

test("a message that waits for its next attempt holds back only its own object", () => {
  const [a1, a2, b1] = [message("a", 1), message("a", 2), message("b", 3)];
  const queues = queuesWith(a1, a2);
  queues.take(1);
  queues.pause(a1, 500);
  queues.add(b1);
  queues.endPauses(499);
  expect(queues.take(10)).toEqual([b1]);
  expect(queues.nextAt()).toBe(500);
  queues.endPauses(500);
  expect(queues.take(10)).toEqual([a1]);
  expect(queues.nextAt()).toBeUndefined();
});

test("a message from a row that was committed late is sent before later ones that were not taken yet", () => {
  const [first, late, last] = [message("a", 1), message("a", 2), message("a", 3)];
  const queues = queuesWith(first, last, late);
  queues.take(1);
  queues.remove(first);
  expect(queues.take(1)).toEqual([late]);
});

test("pauses get shorter when the clock is set back", () => {
  const one = message("a", 1);
  const queues = queuesWith(one);
  queues.take(1);
  queues.pause(one, 5_000);
  queues.shift(4_000);
  expect(queues.nextAt()).toBe(1_000);
});

test("whatever fails and ends in whatever order, every message is sent, each object's in order", () => {
  const step = fc.record({ take: fc.nat(3), end: fc.nat(5), fails: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 40 }), fc.array(step), (objects, steps) => {
      const all = objects.map((objectId, position) => message(objectId, position));
      const queues = queuesWith(...all);
      const open: WaitingMessage[] = [];
      const done: WaitingMessage[] = [];
      const run = ({ take, end, fails }: { take: number; end: number; fails: boolean }) => {
        queues.endPauses(1);
        open.push(...queues.take(take));
        expect(new Set(open.map(({ objectId }) => objectId)).size).toBe(open.length);
        const [ended] = open.splice(end % Math.max(1, open.length), 1);
        if (!ended) return;
        if (fails) queues.pause(ended, 1);
        else {
          queues.remove(ended);
          done.push(ended);
        }
      };
      for (const each of steps) run(each);
      while (queues.size > 0) run({ take: 3, end: 0, fails: false });
      expect(done).toHaveLength(all.length);
      for (const object of ["a", "b", "c"]) {
        const positions = done.filter(({ objectId }) => objectId === object).map(({ position }) => position);
        expect(positions).toEqual([...positions].sort((one, other) => one - other));
      }
    }),
  );
});
