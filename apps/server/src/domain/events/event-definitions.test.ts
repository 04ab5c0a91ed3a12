import { expect, test } from "vitest";
import { EventDefinitions, MAX_DEFINED_PROPERTIES } from "./event-definitions.js";

const manyProperties = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, at]));

test("new events and the types of their properties are defined once", () => {
  const definitions = new EventDefinitions([{ name: "Bought", properties: { price: "number" } }]);
  definitions.observe("Bought", { price: 1, at: "2025-01-01", "__proto__ of": {}, none: null, "\0": 1 });
  definitions.observe("Bought", { at: "later", tags: [] });
  definitions.observe("Seen", {});
  expect(definitions.changed()).toEqual([
    { name: "Bought", properties: { at: "date", "__proto__ of": "json", tags: "array" }, byEndUser: false },
    { name: "Seen", properties: {}, byEndUser: false },
  ]);
});

test("an event with 100,000 properties is read in a moment, and defines as many as an event may have", () => {
  const definitions = new EventDefinitions([]);
  const properties = manyProperties(100_000);
  const before = process.cpuUsage();
  definitions.observe("Wide", properties);
  definitions.observe("Wide", { one_more: 1 });
  // Processor time, because a busy machine makes the reader wait.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  const [wide] = definitions.changed();
  expect(Object.keys(wide?.properties ?? {})).toHaveLength(MAX_DEFINED_PROPERTIES);
  expect(wide?.properties).not.toHaveProperty("one_more");
});

test("a name that is too long to be listed is not defined", () => {
  const definitions = new EventDefinitions([]);
  definitions.observe("Long", { ["x".repeat(513)]: 1, ["y".repeat(512)]: 1 });
  expect(definitions.changed()).toEqual([
    { name: "Long", properties: { ["y".repeat(512)]: "number" }, byEndUser: false },
  ]);
});

test("end users define the names that they may, and names that exist already do not count", () => {
  const definitions = new EventDefinitions([{ name: "Seen", properties: {} }]);
  const asked: string[] = [];
  const mayDefine = (name: string) => asked.push(name) <= 1;
  definitions.observe("Seen", { page: 1 }, mayDefine);
  definitions.observe("Made up", {}, mayDefine);
  definitions.observe("Made up", { again: true }, mayDefine);
  definitions.observe("Too many", {}, mayDefine);
  definitions.observe("Ordered", {});
  expect(asked).toEqual(["Made up", "Too many"]);
  expect(definitions.changed()).toEqual([
    { name: "Seen", properties: { page: "number" }, byEndUser: false },
    { name: "Made up", properties: { again: "boolean" }, byEndUser: true },
    { name: "Ordered", properties: {}, byEndUser: false },
  ]);
});
