// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder, openFolder } from "../contract/open-engine.js";
import { idOf, openOrganization } from "../contract/organization.test.kit.js";
import { eventOf, userDocument } from "../contract/steps.test.kit.js";
import type { Questions } from "../questions.js";
import { COLUMN_RULES } from "./layout/event-layout.js";

const RULES = { ...COLUMN_RULES, leastEvents: 0, uses: 1, apartMs: 0 };
const BATCHES = 20;
const BATCH_EVENTS = 2_000;
const ANN = idOf("ann");

/** Every third value is a text. */
const valueAt = (index: number) => (index % 3 === 0 ? `text ${index}` : index);

test("a process that is killed while it fills columns leaves a file that answers right and is filled on", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = await openFolder(folder);
  const organization = await openOrganization(first);
  await organization.writeUsers(userDocument(ANN, {}));
  const right = { sum: 0, texts: 0, all: BATCHES * BATCH_EVENTS };
  for (let batch = 0; batch < BATCHES; batch++) {
    const given = Array.from({ length: BATCH_EVENTS }, (_, index) => valueAt(index));
    for (const value of given) {
      if (typeof value === "number") right.sum += value;
      else right.texts += 1;
    }
    const events = given.map((it, index) => eventOf(idOf(`${batch}x${index}`), ANN, { properties: { it } }));
    await organization.write({ events });
  }
  await first.close();

  const { attributeTypes, now, query } = organization.select({}, "event");
  const ask = async (questions: Questions) => {
    const sum = { aggregate: "sum", property: "it", withinMs: undefined, type: "numeric", query } as const;
    const among = { subjectType: "user", ids: [ANN] } as const;
    const figures = await questions.aggregateEvents(organization.id, [sum], among, { attributeTypes, now });
    const asked = organization.in(questions);
    return {
      sum: figures.get(ANN)?.[0],
      texts: await asked.count({ prefix: { "properties.it": "text" } }, "event"),
      all: await asked.count({}, "event"),
    };
  };
  for (const share of [0.01, 0.3, 0.6]) {
    await killWhileFilling(folder, organization.id, share);
    const questions = await openFolder(folder, RULES);
    await questions.progress(organization.id);
    const [column] = await questions.eventColumns();
    expect([column?.key, column?.state]).toEqual(["properties.it", "filling"]);
    expect(await ask(questions)).toEqual(right);
    await questions.close();
  }
  const last = await openFolder(folder, RULES);
  onTestFinished(() => last.close());
  expect(await ask(last)).toEqual(right);
  while ((await last.eventColumns()).some(({ state }) => state !== "complete")) await setTimeout(2);
  expect(await ask(last)).toEqual(right);
});

const FILLER = fileURLToPath(new URL("../../../testing/fill-event-columns.ts", import.meta.url));

/** Kills a process as soon as it has filled a share of the events. */
async function killWhileFilling(folder: string, organizationId: string, share: number): Promise<void> {
  const args = ["--conditions=@muster/source", "--import", import.meta.resolve("tsx"), FILLER];
  const child = spawn(process.execPath, [...args, folder, organizationId, "properties.it"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let printed = "";
  for await (const text of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
    printed += text;
    const filled = printed.split("\n").map((line) => Number(/^filling (\S+)$/.exec(line)?.[1] ?? 0));
    if (filled.some((part) => part >= share)) child.kill("SIGKILL");
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
}
