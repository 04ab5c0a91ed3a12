import { expect, test, vi } from "vitest";
import type { Jobs } from "../jobs.js";
import { uploadAddress } from "../parameters/import-parameters.js";
import { Imports } from "./imports.js";

async function nameOf(url: string, name?: string): Promise<string | undefined> {
  const schedule = vi.fn<Jobs["schedule"]>();
  const parameters = { url, overwrite: false, notify: false, emitEvent: false, traits: {}, dryRun: false };
  const request = { object: "users" as const, name, description: "", dueAt: undefined, ...parameters };
  await new Imports({ schedule }, { requireUpload: async () => {} }).schedule("organization", "connector", request);
  expect(schedule.mock.calls[0]?.[1]).toMatchObject({ type: "import", connectorId: "connector", parameters });
  return schedule.mock.calls[0]?.[1].name;
}

test.for([
  ["https://files.example/exports/users.json?token=1", "users.json"],
  ["https://files.example/exports/all%20users.json", "all users.json"],
  ["https://files.example/100%.json", "100%.json"],
  ["https://files.example/exports/", "exports"],
  ["https://files.example", "files.example"],
  [uploadAddress("0".repeat(32)), "upload"],
] as const)("an import of %s is named %s", async ([url, name]) => {
  expect(await nameOf(url)).toBe(name);
});

test("an import with a name keeps it", async () => {
  expect(await nameOf("https://files.example/users.json", "Our users")).toBe("Our users");
});
