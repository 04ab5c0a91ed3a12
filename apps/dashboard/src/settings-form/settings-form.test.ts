import { describe, expect, test } from "vitest";
import { attributeChoices, newAttributeKey } from "./attribute-choices.js";
import { choiceOf, listData } from "./choice-data.js";
import { controlKind } from "./control-kind.js";
import { errorSentence, errorsAt, fieldErrors } from "./field-errors.js";
import { formSections } from "./form-sections.js";
import { readSetting } from "./read-setting.js";
import { countChanges, undoChanges, withChange, withChanges } from "./setting-values.js";

const kindOf = (raw: Record<string, unknown>, value?: unknown) => controlKind(readSetting(raw, "x"), value);

describe("the control of a setting", () => {
  test.each([
    [{ type: "string" }, "text"],
    [{ type: "string", format: "uri" }, "address"],
    [{ type: "string", format: "image" }, "image"],
    [{ type: "string", format: "color" }, "color"],
    [{ type: "string", format: "password" }, "secret"],
    [{ type: "string", format: "textarea" }, "long-text"],
    [{ type: "string", format: "code" }, "code"],
    [{ type: "string", format: "nobody knows" }, "text"],
    [{ type: "liquid" }, "text"],
    [{ type: "number" }, "number"],
    [{ type: "integer", format: "range" }, "number"],
    [{ type: "boolean" }, "switch"],
    [{ type: "boolean", format: "checkbox" }, "switch"],
    [{ type: "boolean", format: "select" }, "choice"],
    [{ type: "string", enum: ["a"] }, "choice"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "choice"],
    [{ enum: ["a"] }, "choice"],
    [{ type: "array", format: "select", items: { type: "string", enum: ["a"] } }, "choice"],
    [{ type: "string", format: "select", options: { loadOptions: "/x" } }, "choice"],
    [{ type: "array", format: "segment" }, "segments"],
    [{ type: "string", format: "accountSegment" }, "segments"],
    [{ type: "string", format: "trait" }, "attributes"],
    [{ type: "array", format: "event" }, "events"],
    [{ type: "array", format: "tags" }, "tags"],
    [{ type: "array", format: "traitMapping" }, "mapping"],
    [{ type: "array", format: "table", items: { type: "object", properties: { a: {} } } }, "table"],
    [{ type: "array", items: { type: "string" } }, "table"],
    [{ type: "array", items: { type: "object", properties: {} } }, "json"],
    [{ type: "array" }, "json"],
    [{ type: "object", properties: { a: { type: "string" } } }, "parts"],
    [{ type: "object" }, "pairs"],
    [{ type: "string", format: "oauth", url: "/auth" }, "sign-in"],
    [{ type: "string", format: "button", url: "/run" }, "button"],
    [{ type: "string", format: "title" }, "heading"],
  ])("%j is shown as %s", (raw, kind) => {
    expect(kindOf(raw)).toBe(kind);
  });

  test.each([
    [{ type: "string" }, { token: "t" }],
    [{ type: "array", format: "traitMapping" }, ["text"]],
    [{ type: "object" }, { deep: { er: 1 } }],
    [{ type: "number" }, "soon"],
    [{ type: "string", format: "segment" }, ["a", "b"]],
  ])("%j shows %j as JSON, because its own control would change it", (raw, value) => {
    expect(kindOf(raw, value)).toBe("json");
  });

  test("numbers and flags that are stored as texts are shown by their own control", () => {
    expect(kindOf({ type: "number" }, "250")).toBe("number");
    expect(kindOf({ type: "boolean" }, "true")).toBe("switch");
  });
});

describe("sections", () => {
  const manifest = {
    settings: [{ name: "color", type: "string" }],
    private_settings: [
      { name: "key", type: "string" },
      { name: "token", type: "string", format: "hidden" },
      "not a setting",
      { title: "no name" },
    ],
    json: [{ url: "/sync", name: "sync", title: "Sync now" }, { url: "/nameless" }],
    settings_sections: [
      { title: "Key", properties: ["private_settings.key", "private_settings.gone", "json.sync"] },
      { title: "", properties: [] },
    ],
  };

  test("hold the fields they name; settings that are in none come last; hidden ones are left out", () => {
    const sections = formSections({ manifest });
    expect(sections.map(({ title, fields }) => [title, fields.map(({ path }) => path)])).toEqual([
      ["Key", ["private_settings.key", "json.sync"]],
      ["Other settings", ["settings.color"]],
    ]);
  });

  test("of the record say which are enabled", () => {
    const sections = [{ title: "Key", enabled: false, properties: ["private_settings.key"] }];
    expect(formSections({ manifest, sections }).map(({ isEnabled }) => isEnabled)).toEqual([false, true]);
  });

  test("a manifest with nothing has no sections", () => {
    expect(formSections({ manifest: {} })).toEqual([]);
  });
});

describe("changes", () => {
  const stored = { settings: { a: 1 }, private_settings: { list: ["x"], other: "kept" } };
  const change = (name: string, value: unknown) => ({ group: "private_settings" as const, name, value });

  test("only what differs is saved, and a value that is put back is no change", () => {
    const changes = withChange({}, stored, change("list", ["x", "y"]));
    expect(changes).toEqual({ private_settings: { list: ["x", "y"] } });
    expect(countChanges(changes)).toBe(1);
    expect(withChanges(stored, changes).private_settings).toEqual({ list: ["x", "y"], other: "kept" });
    expect(withChange(changes, stored, change("list", ["x"]))).toEqual({});
  });

  test("an undo puts stored values back, and clears what had none", () => {
    const changes = withChange(withChange({}, stored, change("list", [])), stored, change("new", 1));
    expect(undoChanges(stored, changes)).toEqual({ private_settings: { list: ["x"], new: null } });
  });

  test("typing and deleting in a setting that was never set is no change", () => {
    expect(withChange({}, stored, change("new", ""))).toEqual({});
  });
});

test("problems are shown at the setting, the row and the cell that they are about", () => {
  const errors = fieldErrors([
    { path: "body.private_settings.mapping.2.service", message: "must be a text" },
    { path: "body.settings.url", message: "must be an address" },
    { path: "query.x", message: "is for nobody" },
  ]);
  expect([...errors.keys()]).toEqual(["private_settings.mapping", "settings.url"]);
  expect(errorSentence(errors.get("settings.url") ?? [])).toBe("It must be an address.");
  const mapping = errors.get("private_settings.mapping") ?? [];
  expect(errorSentence(mapping)).toBeUndefined();
  expect(errorSentence(errorsAt(errorsAt(mapping, 2), "service"))).toBe("It must be a text.");
});

test("a list keeps values that are no choice any more, and offers a typed one at the end", () => {
  const choices = [
    { value: 1, label: "One" },
    { value: "1", label: "The same" },
    { value: "b", label: "B", group: "Letters" },
  ];
  expect(listData(choices, ["gone", 1], "new")).toEqual([
    { value: "1", label: "One" },
    { group: "Letters", items: [{ value: "b", label: "B" }] },
    { value: "gone", label: "gone" },
    { value: "new", label: "Use “new”" },
  ]);
  expect(choiceOf("1", choices)).toBe(1);
  expect(choiceOf("other", choices)).toBe("other");
});

test("attributes are offered by group, and a new one is put into the group of the mapping", () => {
  const keys = ["email", "traits_plan", "traits_crm/stage"];
  expect(attributeChoices(keys, undefined)).toContainEqual({
    value: "traits_crm/stage",
    label: "crm/stage",
    group: "crm",
  });
  expect(attributeChoices(keys, "crm").map(({ value }) => value)).toEqual(["traits_crm/stage"]);
  expect(attributeChoices(keys, "shop")).toHaveLength(3);
  expect(newAttributeKey("stage", "user", "crm")).toBe("traits_crm/stage");
  expect(newAttributeKey("stage", "account", "crm")).toBe("crm/stage");
  expect(newAttributeKey("other/stage", "user", "crm")).toBe("other/stage");
  expect(newAttributeKey(" plan ", "user", undefined)).toBe("plan");
});
