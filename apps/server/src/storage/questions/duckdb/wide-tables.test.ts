// @module-tag long
import { rm } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { sized } from "../../../../../../testing/test-length.js";
import { makeFolder, openFolder } from "../contract/open-engine.js";
import { idOf, Organization, openOrganization } from "../contract/organization.test.kit.js";
import { userDocument } from "../contract/steps.test.kit.js";

/** In the long run as many as an organization may have. */
const COUNT = sized(500, 2_000);
const NAMES = Array.from({ length: COUNT }, (_, index) => `traits_attribute_${index}`);
const [ann, bob] = [idOf("ann"), idOf("bob")];

test("users with very many attributes are written after a checkpoint in little memory", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = await openFolder(folder);
  const types = Object.fromEntries(NAMES.map((name) => [name, "string" as const]));
  const organization = await openOrganization(first, { user: types });
  const values = Object.fromEntries(NAMES.map((name) => [name, `value of ${name}`]));
  const sequence = await organization.writeUsers(userDocument(ann, values));
  // Closing makes a checkpoint. The next write then needs new blocks for each column.
  await first.close();

  const questions = await openFolder(folder);
  onTestFinished(() => questions.close());
  const again = new Organization(questions, organization.id, { user: types, account: {} }, sequence);
  await again.writeUsers(userDocument(bob, values), userDocument(ann, { traits_attribute_7: "seven" }, { version: 2 }));
  expect(await again.find({ term: { [`attribute_${COUNT - 1}.raw`]: `value of ${NAMES.at(-1)}` } })).toBe("bob");
  expect(await again.find({ term: { "attribute_7.raw": "seven" } })).toBe("ann");
  const many = Array.from({ length: 1_500 }, (_, index) =>
    userDocument(idOf(`user ${index}`), { [`traits_attribute_${index % 300}`]: "many" }),
  );
  await again.writeUsers(...many);
  expect(await again.count({ term: { "attribute_299.raw": "many" } })).toBe(5);
});
