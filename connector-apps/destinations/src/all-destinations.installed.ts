import { checkManifest } from "@muster/protocol/manifest";
import { beforeAll, describe, expect, test } from "vitest";
import { noteResult } from "../../testing/note-result.js";
import { readCatalogue, readRecord } from "./catalogue.js";
import { manifestOf } from "./manifest/manifest-of.js";
import { startingMappings } from "./mapping/starting-mappings.js";
import { DestinationPackage } from "./package/destination-package.js";
import type { DestinationRecord } from "./record/destination-record.js";
import { installation } from "./testing/installation.js";
import { sampleEvents } from "./testing/sample-events.js";
import { DestinationRunner } from "./thread/destination-runner.js";

const folder = installation();
const installed = new DestinationPackage(folder);
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Presets whose own schema refuses what their own mapping makes, and why. */
const WRONG: Readonly<Record<string, string>> = {
  "angler-ai: Save Event - Checkout Payment Info Submitted":
    "it gives a name of an event that its schema does not list",
  "angler-ai: Save Event - Product Added To Cart": "it gives the list of products where its schema wants one",
  "angler-ai: Save Event - Product Removed From Cart": "the same",
  "attentive: View Item": "it gives a type of event that its schema does not list",
  "dub: Track a Sale": "it gives the list of products where its schema wants an object",
};

let records: DestinationRecord[];
beforeAll(() => {
  records = readCatalogue(folder)!.destinations.map(({ name }) => readRecord(folder, name)!);
});

describe("all destinations", () => {
  test("are 214, with 547 presets and 600 actions that are not hidden", () => {
    const count = (of: (record: DestinationRecord) => number) => records.reduce((sum, record) => sum + of(record), 0);
    expect(records).toHaveLength(214);
    expect(count(({ actions }) => actions.length)).toBe(600);
    expect(count(({ presets }) => presets.length)).toBe(547);
    expect(records.filter(({ scheme }) => scheme === "oauth2")).toHaveLength(34);
    expect(records.filter(({ audience }) => audience)).toHaveLength(27);
    expect(count(({ actions }) => actions.filter(({ stepOnSave }) => stepOnSave !== undefined).length)).toBe(8);
  });

  test("have a manifest without a problem", () => {
    const problems = records.flatMap((record) => {
      const manifest = manifestOf(record);
      expect(JSON.stringify(manifest).length).toBeLessThan(MAX_MANIFEST_BYTES);
      const found = checkManifest(manifest);
      noteResult({ kind: "manifest", name: record.name, problems: found.length });
      return found.map(({ path, message }) => `${record.name}: ${path} ${message}`);
    });
    expect(problems).toEqual([]);
  });

  // The 540 presets are those of actions that are not hidden.
  test("make of a sample message a payload that their own schema accepts, with each preset", () => {
    const results = records.flatMap((record) => runPresets(record));
    const accepted = results.filter(({ result }) => result === "accepted");
    const others = results.filter(({ result }) => result !== "accepted");
    for (const result of results) noteResult({ kind: "preset", ...result });
    expect({ ran: results.length, accepted: accepted.length }).toEqual({ ran: 540, accepted: 464 });
    const wrong = others.filter(({ result }) => result === "wrong").map(({ name, preset }) => `${name}: ${preset}`);
    expect(wrong.sort()).toEqual(Object.keys(WRONG).sort());
  });
});

interface PresetResult {
  name: string;
  preset: string;
  /**
   * `incomplete`: a field has no value, because only a person knows it (an id at the service) or the sample has no such property.
   * `untriggered`: Muster sends no such event.
   */
  result: "accepted" | "incomplete" | "untriggered" | "wrong";
  reason: string;
}

function runPresets(record: DestinationRecord): PresetResult[] {
  if (record.presets.length === 0) return [];
  const runner = new DestinationRunner(installed, record.name, () => {});
  return startingMappings(record).map((mapping): PresetResult => {
    const named = [...mapping.trigger.matchAll(/event\s*=+\s*"([^"]*)"/g)].map(([, name = ""]) => name);
    const events = sampleEvents(named).filter((event) => runner.isTriggered(mapping, event));
    const payloads = events.map((event) => runner.payload(mapping, event));
    const best = payloads.find(({ problem }) => problem === undefined) ?? payloads[0];
    const shared = { name: record.name, preset: mapping.name };
    if (!best) return { ...shared, result: "untriggered", reason: mapping.trigger };
    if (best.problem === undefined) return { ...shared, result: "accepted", reason: "" };
    return { ...shared, result: best.isIncomplete ? "incomplete" : "wrong", reason: best.problem };
  });
}
