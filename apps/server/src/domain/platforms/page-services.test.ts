import { expect, test } from "vitest";
import { pageServices } from "./page-services.js";

const crm = {
  name: "My CRM",
  enabled: true,
  manifest: { tags: ["client", "outgoing"], settings: [{ name: "color" }, { name: "unset" }] },
  settings: { color: "#fff", undeclared: 1 },
};

test("enabled connectors with settings for pages are services, with what they declare alone", () => {
  const secretive = {
    ...crm,
    name: "Warehouse",
    manifest: { tags: ["outgoing"], private_settings: [{ name: "key" }] },
  };
  expect(pageServices([crm, secretive, { ...crm, name: "Off", enabled: false }])).toEqual({
    settings: { my_crm: { color: "#fff" } },
    types: { client: ["my_crm"], outgoing: ["my_crm"] },
  });
});

test("two connectors of one name are two services", () => {
  expect(Object.keys(pageServices([crm, crm, { ...crm, name: "!" }]).settings)).toEqual([
    "my_crm",
    "my_crm_2",
    "service",
  ]);
});

test("names and tags that objects have themselves are names like others", () => {
  const odd = { ...crm, name: "__proto__", manifest: { ...crm.manifest, tags: ["constructor"] } };
  expect(pageServices([odd])).toEqual({ settings: { proto: { color: "#fff" } }, types: { constructor: ["proto"] } });
});
