import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { DestinationCatalogue } from "./destination-catalogue.js";

const folder = mkdtempSync(join(tmpdir(), "muster-catalogue-"));
const described = (name: string, title: string) => ({
  name,
  title,
  summary: `Sends to ${title}.`,
  categories: ["CRM"],
});

beforeAll(() => {
  const destinations = [described("hubspot", "HubSpot"), described("slack", "Slack")];
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify({ version: "3.0.0", destinations }));
  mkdirSync(join(folder, "records"));
  const record = {
    ...described("slack", "Slack"),
    version: "3.0.0",
    scheme: "custom",
    canTest: false,
    canRefresh: false,
    settings: [{ key: "key", label: "API key", description: "", type: "password", required: true }],
    actions: [],
    presets: [],
  };
  writeFileSync(join(folder, "records/slack.json"), JSON.stringify(record));
});

const namesFor = (...allowed: string[]) => new DestinationCatalogue({ folder, allowed }).list().map(({ name }) => name);

test("the operator chooses which destinations are in the gallery", () => {
  expect(namesFor("all")).toEqual(["HubSpot", "Slack"]);
  expect(namesFor("slack")).toEqual(["Slack"]);
  expect(namesFor("none")).toEqual([]);
});

test("there are none as long as nothing is installed", () => {
  expect(new DestinationCatalogue({ folder: join(folder, "nothing"), allowed: ["all"] }).list()).toEqual([]);
});

test("one that the operator does not allow is not found by its address either", () => {
  const address = "muster://slack.destinations/manifest.json";
  expect(new DestinationCatalogue({ folder, allowed: ["none"] }).find(address)).toBeUndefined();
  expect(new DestinationCatalogue({ folder, allowed: ["hubspot"] }).find(address)).toBeUndefined();
});

test("an installed one is found by its address, with the manifest made of what it declares", () => {
  const catalogue = new DestinationCatalogue({ folder, allowed: ["slack"] });
  const { manifest, readme } = catalogue.find("muster://slack.destinations/manifest.json") ?? {};
  expect(manifest).toMatchObject({
    name: "Slack",
    version: "3.0.0",
    private_settings: [{ name: "key", format: "password", required: true }, {}, {}, {}, {}],
    status: { initial_value: "setupRequired" },
  });
  expect(readme).toMatch(/^# A destination/);
});

test.each([
  "muster://hubspot.destinations/manifest.json",
  "muster://processor/manifest.json",
  "https://slack.example",
  "no address",
])("%s is none of them", (address) =>
  expect(new DestinationCatalogue({ folder, allowed: ["all"] }).find(address)).toBeUndefined(),
);
