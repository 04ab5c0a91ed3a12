import { expect, test } from "vitest";
import { changedFields } from "./changed-fields.js";

test("only fields that differ are told, also inside objects", () => {
  const before = { id: "1", name: "A", settings: { color: "red", size: 1 }, updated_at: "then" };
  const after = { id: "1", name: "B", settings: { color: "blue", size: 1 }, updated_at: "now" };
  expect(changedFields(before, after)).toEqual({
    before: { name: "A", settings: { color: "red" } },
    after: { name: "B", settings: { color: "blue" } },
  });
});

test("a new object and a removed one are told on one side", () => {
  expect(changedFields(undefined, { name: "A" })).toEqual({ after: { name: "A" } });
  expect(changedFields({ name: "A" }, undefined)).toEqual({ before: { name: "A" } });
});

test("a secret that has changed is told by its name alone", () => {
  const told = changedFields(
    { private_settings: { api_key: "old", list: ["x"] } },
    { private_settings: { api_key: "new" } },
  );
  expect(told).toEqual({
    before: { private_settings: { api_key: "********", list: "********" } },
    after: { private_settings: { api_key: "********" } },
  });
});

test("credentials in an address are not told", () => {
  expect(changedFields(undefined, { at: "https://me:pass@host.example/path?token=1" })).toEqual({
    after: { at: "https://host.example/path?********" },
  });
});

test("what is long is cut", () => {
  const { after } = changedFields(undefined, { text: "x".repeat(10_000) });
  expect(JSON.stringify(after).length).toBeLessThan(4_200);
});
