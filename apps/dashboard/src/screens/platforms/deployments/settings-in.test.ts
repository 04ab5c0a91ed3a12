import { expect, test } from "vitest";
import { settingsIn } from "./settings-in.js";

test("plain settings of deployments become fields, and others are left alone", () => {
  const fields = settingsIn({
    deployment_settings: [
      { name: "color", type: "string", title: "Colour", enum: ["red", "blue"], default: "red" },
      { name: "text", type: "string" },
      { name: "delay", type: "integer", description: "Seconds." },
      { name: "shown", type: "boolean" },
      { name: "rules", type: "array" },
      { type: "string" },
      "nonsense",
    ],
  });
  expect(fields.map(({ name, kind, title }) => [name, kind, title])).toEqual([
    ["color", "choice", "Colour"],
    ["text", "text", "text"],
    ["delay", "number", "delay"],
    ["shown", "boolean", "shown"],
  ]);
});

test.each([[undefined], [{}], [{ deployment_settings: {} }]])("a manifest %j has no fields", (manifest) => {
  expect(settingsIn(manifest)).toEqual([]);
});
