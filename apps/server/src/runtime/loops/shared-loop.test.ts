import { expect, test } from "vitest";
import { SharedLoop } from "./shared-loop.js";

interface Item {
  organizationId: string;
  name: string;
}

/** A loop with three places, two of them for one organization, over what waits in the given order. */
function open(waiting: string[]) {
  const running = new Map<string, (error?: Error) => void>();
  const problems: string[] = [];
  const loop = new SharedLoop<Item>({
    places: 3,
    placesOfOne: 2,
    lookEveryMs: 60_000,
    async take(without) {
      const index = waiting.findIndex((name) => !without.includes(name.slice(0, 1)));
      const [name] = index < 0 ? [] : waiting.splice(index, 1);
      return name === undefined ? undefined : { organizationId: name.slice(0, 1), name };
    },
    work: ({ name }) =>
      new Promise((resolve, reject) => {
        running.set(name, (error) => {
          running.delete(name);
          if (error) reject(error);
          else resolve();
        });
      }),
    onError: (error) => problems.push((error as Error).message),
  });
  loop.start();
  return { loop, running, problems, names: () => [...running.keys()] };
}

test("an organization gets its share of the places, and another one is first when a place is free", async () => {
  const waiting = ["a1", "a2", "a3", "a4", "b1", "c1"];
  const { loop, running, names } = open(waiting);
  await expect.poll(names).toEqual(["a1", "b1", "c1"]);
  running.get("b1")?.();
  await expect.poll(names).toEqual(["a1", "c1", "a2"]);
  running.get("c1")?.();
  await expect.poll(names).toEqual(["a1", "a2"]);
  const stopped = loop.stop();
  for (const end of running.values()) end();
  await stopped;
  expect(waiting).toEqual(["a3", "a4"]);
});

test("work that fails makes room, and a stop waits for what runs and takes nothing else", async () => {
  const waiting = ["a1", "a2", "a3", "a4"];
  const { loop, running, problems, names } = open(waiting);
  await expect.poll(names).toEqual(["a1", "a2"]);
  running.get("a1")?.(new Error("no"));
  await expect.poll(names).toEqual(["a2", "a3"]);
  let hasStopped = false;
  const stopped = loop.stop().then(() => {
    hasStopped = true;
  });
  running.get("a2")?.();
  await new Promise(setImmediate);
  expect([hasStopped, names(), problems, waiting]).toEqual([false, ["a3"], ["no"], ["a4"]]);
  running.get("a3")?.();
  await stopped;
});
