import { rm } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder, openFolder } from "../contract/open-engine.js";
import { idOf, Organization, openOrganization } from "../contract/organization.test.kit.js";
import { eventOf } from "../contract/steps.test.kit.js";

test("an event that is recorded again after the file was opened anew exists once", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = await openFolder(folder);
  const organization = await openOrganization(first);
  const event = eventOf(idOf("e1"), idOf("ann"));
  const sequence = await organization.write({ events: [event] });
  await first.close();

  const questions = await openFolder(folder);
  onTestFinished(() => questions.close());
  const again = new Organization(questions, organization.id, { user: {}, account: {} }, sequence);
  await again.write({ events: [event, eventOf(idOf("e2"), idOf("ann"))] });
  expect(await again.find({}, "event")).toBe("e1 e2");
});
