import type { Evaluation } from "../../../domain/changes/change-set.js";
import { evaluationEvents } from "../../../domain/changes/evaluation-events.js";
import type { EventKey } from "../../../domain/events/stored-event.js";
import type { Questions } from "../questions.js";
import {
  ACCOUNTS,
  ENTERED,
  EVENTS,
  FORMER_USERS,
  id,
  LEFT,
  MOVED_EVENT,
  ORG,
  OTHER_ORG,
  REPLACED_EVENT,
  STRANGERS,
  typeOf,
  USERS,
} from "./dataset.test.data.js";
import { openEngine } from "./open-engine.js";
import { changeOf, stepOf } from "./steps.test.kit.js";

/** Opens an engine that has the dataset. */
export async function openDataset(): Promise<Questions> {
  const questions = await openEngine();
  await writeDataset(questions);
  return questions;
}

/** Writes the dataset as in production: rows are written first, and replaced, moved or deleted later. */
export async function writeDataset(questions: Questions): Promise<void> {
  await writeDocuments(questions);
  await writeEvents(questions);
  await writeNewerUsers(questions);
  await writeMemberships(questions);
  await writeStrangers(questions);
}

/** The sequence of the change log when the documents were written. */
const DOCUMENTS_UNTIL = 3;

async function writeDocuments(questions: Questions): Promise<void> {
  const [ann] = USERS;
  const users = [...FORMER_USERS, ...USERS.filter((document) => document !== ann)];
  const half = Math.floor(users.length / 2);
  await questions.begin(ORG, "first");
  const accountsWritten = { kind: "account", afterId: id("bare") } as const;
  await questions.writeDocuments(ORG, ACCOUNTS, accountsWritten, typeOf);
  for (const page of [users.slice(0, half), users.slice(half)]) {
    const afterId = String(page.at(-1)?.report.id);
    await questions.writeDocuments(ORG, page, { kind: "user", afterId }, typeOf);
  }
  await questions.endDocuments(ORG, DOCUMENTS_UNTIL);
}

async function writeEvents(questions: Questions): Promise<void> {
  const ofAnn = { ...MOVED_EVENT, user_id: id("ann"), origin_id: id("ann") };
  await questions.writeChanges(ORG, stepOf([changeOf(1, { events: [...EVENTS, MOVED_EVENT, REPLACED_EVENT] })]));
  await questions.writeChanges(
    ORG,
    stepOf([
      changeOf(2, { events: [ofAnn] }),
      changeOf(3, { events: [MOVED_EVENT], replaced: [keyOf(REPLACED_EVENT)] }),
    ]),
  );
}

async function writeNewerUsers(questions: Questions): Promise<void> {
  const ann = USERS.slice(0, 1).map((document) => ({ ...document, version: 4 }));
  const touched = [{ id: id("ann"), isNew: false, changes: {} }];
  const merges = [{ kind: "user", survivor: id("bob"), loser: id("zed"), hasEvents: true } as const];
  await questions.writeChanges(
    ORG,
    stepOf([changeOf(4, { users: touched }), changeOf(5, { merges })], {
      users: { written: ann, gone: [id("zed")] },
      typeOf,
    }),
  );
}

/** The cases expect only the events of users, so Muster's own events about segments are removed again. */
async function writeMemberships(questions: Questions): Promise<void> {
  await questions.writeEvaluation(ORG, 6, ENTERED);
  await questions.writeChanges(ORG, stepOf([changeOf(6, { evaluation: ENTERED }), changeOf(7, { evaluation: LEFT })]));
  const replaced = [...eventKeysOf(ENTERED, 6), ...eventKeysOf(LEFT, 7)];
  await questions.writeChanges(ORG, stepOf([changeOf(8, { replaced })]));
}

async function writeStrangers(questions: Questions): Promise<void> {
  const { users, accounts, events, evaluation } = STRANGERS;
  await questions.begin(OTHER_ORG, "first");
  await questions.writeDocuments(OTHER_ORG, accounts, { kind: "account", afterId: id("bare") }, typeOf);
  await questions.writeDocuments(OTHER_ORG, users, { kind: "user", afterId: id("gus") }, typeOf);
  await questions.endDocuments(OTHER_ORG, 0);
  await questions.writeChanges(OTHER_ORG, stepOf([changeOf(1, { events }), changeOf(2, { evaluation })]));
}

function eventKeysOf(evaluation: Evaluation, sequence: number): EventKey[] {
  return evaluationEvents(evaluation, sequence).map(keyOf);
}

function keyOf({ id: eventId, event, created_at }: { id: string; event: string; created_at: string }): EventKey {
  return { id: eventId, event, createdAt: Date.parse(created_at) };
}
