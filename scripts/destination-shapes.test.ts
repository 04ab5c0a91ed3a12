import { expect, test } from "vitest";
import { compareShapes, shapeOf } from "./destination-shapes.js";

const shape = (settings: string, send: string) => ({ settings, actions: { send } });

test("a shape names the fields, and those that are required", () => {
  const fields = [
    { key: "email", required: true },
    { key: "name", required: { conditions: [] } },
  ];
  expect(shapeOf({ settings: fields, actions: [{ key: "send", fields }] })).toEqual(
    shape("email! name", "email! name"),
  );
});

test("what is gone and what is required now is told, and nothing else", () => {
  const before = { crm: shape("key! region", "email name"), old: shape("", ""), same: shape("key!", "email") };
  const after = { crm: shape("key!", "email! phone tag!"), new: shape("key!", ""), same: shape("key", "email more") };
  expect(compareShapes(before, after)).toEqual([
    "crm: setting region is gone",
    "crm: send: field name is gone",
    "crm: send: field email is required now",
    "crm: send: field tag is required now",
    "old: the destination is gone",
  ]);
});

test("an action that is gone is told once", () => {
  expect(compareShapes({ crm: shape("", "a b") }, { crm: { settings: "", actions: {} } })).toEqual([
    "crm: action send is gone",
  ]);
});
