import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder, openFolder } from "../contract/open-engine.js";
import { idOf, openOrganization } from "../contract/organization.test.kit.js";
import { eventOf, userDocument } from "../contract/steps.test.kit.js";

const [ann, bob] = [idOf("ann"), idOf("bob")];

async function contentOf(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((path) => readFile(path, "latin1")))).join("\n");
}

test("an erased user is in no file of the engine, also when the file was complete before, and others stay", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = await openFolder(folder);
  const { id } = await openOrganization(first, { user: { traits_note: "string" } }).then(async (organization) => {
    await organization.write(
      { events: [eventOf(idOf("e1"), ann, { properties: { to: "secretive street" } }), eventOf(idOf("e2"), bob)] },
      {
        users: {
          written: [userDocument(ann, { traits_note: "secretive" }), userDocument(bob, { traits_note: "kept" })],
        },
      },
    );
    return organization;
  });
  await first.close();
  expect(await contentOf(folder)).toContain("secretive");
  const aside = join(folder, `${id}.duckdb.2026-01-01T00-00-00.000Z.unreadable`);
  await writeFile(aside, "secretive");

  const questions = await openFolder(folder);
  await questions.erase(id, [ann]);
  expect(await contentOf(folder)).not.toContain("secretive");
  expect((await questions.actionsOf(id, bob)).counts).toEqual({ Order: 1 });
  expect((await questions.actionsOf(id, ann)).counts).toEqual({});
  expect((await questions.progress(id)).sequence).toBeGreaterThan(0);
  await questions.close();
});
