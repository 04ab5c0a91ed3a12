import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageLanes, type WaitingMessage } from "./message-lanes.js";

const message = (objectId: string, position: number, place = 0): WaitingMessage => ({ objectId, position, place });

function lanesWith(...messages: WaitingMessage[]): MessageLanes<WaitingMessage> {
  const lanes = new MessageLanes<WaitingMessage>();
  for (const each of messages) lanes.add(each);
  return lanes;
}

test("of each object only the first message can be taken, until it is removed", () => {
  const [a1, a2, b1] = [message("a", 1), message("a", 2), message("b", 3)];
  const lanes = lanesWith(a1, a2, b1);
  expect(lanes.take(10)).toEqual([a1, b1]);
  expect(lanes.take(10)).toEqual([]);
  lanes.remove(a1);
  expect(lanes.take(10)).toEqual([a2]);
  expect(lanes.size).toBe(2);
});

test("a message that waits for its next attempt holds back only its own object", () => {
  const [a1, a2, b1] = [message("a", 1), message("a", 2), message("b", 3)];
  const lanes = lanesWith(a1, a2);
  lanes.take(1);
  lanes.pause(a1, 500);
  lanes.add(b1);
  lanes.endPauses(499);
  expect(lanes.take(10)).toEqual([b1]);
  expect(lanes.nextAt()).toBe(500);
  lanes.endPauses(500);
  expect(lanes.take(10)).toEqual([a1]);
  expect(lanes.nextAt()).toBeUndefined();
});

test("a message from a row that was committed late is sent before later ones that were not taken yet", () => {
  const [first, late, last] = [message("a", 1), message("a", 2), message("a", 3)];
  const lanes = lanesWith(first, last, late);
  lanes.take(1);
  lanes.remove(first);
  expect(lanes.take(1)).toEqual([late]);
});

test("pauses get shorter when the clock is set back", () => {
  const one = message("a", 1);
  const lanes = lanesWith(one);
  lanes.take(1);
  lanes.pause(one, 5_000);
  lanes.shift(4_000);
  expect(lanes.nextAt()).toBe(1_000);
});

test("whatever fails and ends in whatever order, every message is sent, each object's in order", () => {
  const step = fc.record({ take: fc.nat(3), end: fc.nat(5), fails: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 40 }), fc.array(step), (objects, steps) => {
      const all = objects.map((objectId, position) => message(objectId, position));
      const lanes = lanesWith(...all);
      const open: WaitingMessage[] = [];
      const done: WaitingMessage[] = [];
      const run = ({ take, end, fails }: { take: number; end: number; fails: boolean }) => {
        lanes.endPauses(1);
        open.push(...lanes.take(take));
        expect(new Set(open.map(({ objectId }) => objectId)).size).toBe(open.length);
        const [ended] = open.splice(end % Math.max(1, open.length), 1);
        if (!ended) return;
        if (fails) lanes.pause(ended, 1);
        else {
          lanes.remove(ended);
          done.push(ended);
        }
      };
      for (const each of steps) run(each);
      while (lanes.size > 0) run({ take: 3, end: 0, fails: false });
      expect(done).toHaveLength(all.length);
      for (const object of ["a", "b", "c"]) {
        const positions = done.filter(({ objectId }) => objectId === object).map(({ position }) => position);
        expect(positions).toEqual([...positions].sort((one, other) => one - other));
      }
    }),
  );
});
