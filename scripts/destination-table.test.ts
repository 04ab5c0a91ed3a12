import { expect, test } from "vitest";
import { tableOf } from "./destination-table.js";

const preset = { kind: "preset", name: "slack", preset: "Told", result: "accepted", reason: "" } as const;

test("the table counts manifests, forms and presets, and names each preset that was not accepted", () => {
  const { summary, rows } = tableOf(
    ["hubspot", "slack"],
    [
      { kind: "manifest", name: "hubspot", problems: 0 },
      { kind: "manifest", name: "slack", problems: 2 },
      { kind: "form", name: "slack", actions: 3 },
      preset,
      { ...preset, preset: "Wave", result: "incomplete", reason: "It has no channel." },
    ],
  );
  expect(summary).toBe(`definitions                 2
manifests valid             1
installed, forms opened     1  with 3 actions
presets run                 2
  accepted                  1
  incomplete                1  a field has no value in the sample, such as an id at the service
  untriggered               0  Muster sends no such event
  wrong                     0  its own schema refuses what its own mapping makes
slack | Wave | incomplete | It has no channel.
`);
  expect(rows).toBe(`destination | manifest | forms | presets accepted
hubspot | valid |  | 
slack | 2 problems | 3 actions | 1 of 2
`);
});

test("a part of the tests says what it has not tested", () => {
  expect(tableOf(["slack"], []).summary).toContain("presets run                 0  not in this part of the tests\n");
});
