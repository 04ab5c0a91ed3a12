// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseSort } from "@muster/query";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder, openFolder, TIMES_AT_ONCE } from "../contract/open-engine.js";
import { idOf, openOrganization } from "../contract/organization.test.kit.js";
import { eventOf } from "../contract/steps.test.kit.js";
import type { Questions } from "../questions.js";

const BATCHES = 10;
const BATCH_EVENTS = 1_500;
const USERS = 40;
const RULES = { ...TIMES_AT_ONCE, runEntries: 400, pageRows: 300 };

test("a process that is killed while it notes the times of events leaves a file that answers right and is completed", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = await openFolder(folder);
  const organization = await openOrganization(first);
  const userAt = (index: number) => idOf(`u${(index * 7) % USERS}`);
  const right = Array.from({ length: USERS }, () => 0);
  for (let batch = 0; batch < BATCHES; batch++) {
    const events = Array.from({ length: BATCH_EVENTS }, (_, index) => {
      right[(index * 7) % USERS]! += 1;
      const created_at = new Date(Date.UTC(2024, 0, 1) + (batch * BATCH_EVENTS + index) * 1_000).toISOString();
      return eventOf(idOf(`${batch}x${index}`), userAt(index), { created_at });
    });
    await organization.write({ events });
  }
  await first.close();

  const sort = parseSort({ created_at: "desc" }, { target: "event" });
  const foundBy = async (questions: Questions) => {
    const found = [];
    for (let user = 0; user < USERS; user++) {
      const selection = organization.select({ term: { user_id: idOf(`u${user}`) } }, "event");
      const rows = await questions.page(organization.id, selection, { sort, limit: 1_000 });
      found.push(rows.length);
    }
    return found;
  };
  for (const share of [0.01, 0.4, 0.8]) {
    await killWhileReading(folder, organization.id, BATCHES * BATCH_EVENTS * (1 - share));
    const questions = await openFolder(folder, undefined, RULES);
    expect(await foundBy(questions)).toEqual(right);
    await questions.close();
  }
  const last = await openFolder(folder, undefined, RULES);
  onTestFinished(() => last.close());
  await last.progress(organization.id);
  while (!(await last.eventTimes()).some(({ unread, isSettled }) => unread === 0 && isSettled)) await setTimeout(2);
  expect(await foundBy(last)).toEqual(right);
});

const KEEPER = fileURLToPath(new URL("../../../testing/keep-event-times.ts", import.meta.url));

/** Kills a process as soon as at most so many rows are unread. */
async function killWhileReading(folder: string, organizationId: string, most: number): Promise<void> {
  const args = ["--conditions=@muster/source", "--import", import.meta.resolve("tsx"), KEEPER];
  const child = spawn(process.execPath, [...args, folder, organizationId], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let printed = "";
  for await (const text of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
    printed += text;
    if (printed.split("\n").some((line) => Number(/^unread (\d+)$/.exec(line)?.[1] ?? Number.NaN) <= most)) {
      child.kill("SIGKILL");
    }
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
}
