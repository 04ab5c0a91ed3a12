import { expect, test } from "vitest";
import { WaitingBodies } from "./waiting-bodies.js";

const item = (organizationId: string, name: string, bytes = 1) => ({ organizationId, name, bytes });
const anybody = () => true;

test("organizations take turns, and each gets its items in their order", () => {
  const waiting = new WaitingBodies<ReturnType<typeof item>>({ count: 100, bytes: 100 });
  for (const name of ["a1", "a2", "a3"]) waiting.add(item("a", name));
  waiting.add(item("b", "b1"));
  waiting.add(item("c", "c1"));
  const taken = Array.from({ length: 6 }, () => waiting.take(anybody)?.name);
  expect(taken).toEqual(["a1", "b1", "c1", "a2", "a3", undefined]);
});

test("an organization that may not take an item keeps its turn", () => {
  const waiting = new WaitingBodies<ReturnType<typeof item>>({ count: 100, bytes: 100 });
  waiting.add(item("a", "a1"));
  waiting.add(item("b", "b1"));
  expect(waiting.take((organizationId) => organizationId !== "a")?.name).toBe("b1");
  expect(waiting.take(() => false)).toBeUndefined();
  expect(waiting.take(anybody)?.name).toBe("a1");
});

test("when it is full, the organization with the most bytes loses its latest item", () => {
  const waiting = new WaitingBodies<ReturnType<typeof item>>({ count: 4, bytes: 100 });
  for (const name of ["a1", "a2"]) waiting.add(item("a", name, 40));
  expect(waiting.add(item("b", "b1", 30)).map(({ name }) => name)).toEqual(["a2"]);
  expect(waiting.add(item("a", "a3", 90)).map(({ name }) => name)).toEqual(["a3"]);
  for (const name of ["b2", "b3"]) expect(waiting.add(item("b", name))).toEqual([]);
  expect(waiting.add(item("c", "c1")).map(({ name }) => name)).toEqual(["a1"]);
  expect(waiting.clear().map(({ name }) => name)).toEqual(["b1", "b2", "b3", "c1"]);
  expect(waiting.take(anybody)).toBeUndefined();
});
