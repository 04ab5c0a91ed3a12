import { openServersQuestions, type Questions, stepOf } from "../lib/questions.js";
import { USERS_PER_ACCOUNT } from "./attributes.js";
import {
  amountsOf,
  EVENTS_PER_STEP,
  type FillOrder,
  lastSequence,
  MEMBER_EVERY,
  REWRITTEN_EVERY,
  USERS_PER_STEP,
} from "./fill-order.js";
import { accountDocument, eventsInOrder, inGroups, numbers, typeOf, userDocument, userId } from "./generate.js";

// A process of its own, because one process at a time may hold the data directory.
process.on("message", async (order: FillOrder) => {
  const questions = await openServersQuestions(order.dataDir);
  await writeDocuments(questions, order);
  await writeChanges(questions, order);
  await questions.close();
  process.send?.({ isDone: true });
});

async function writeDocuments(questions: Questions, { org, generation, users }: FillOrder): Promise<void> {
  await questions.begin(org, generation);
  const accounts = numbers(Math.ceil(users / USERS_PER_ACCOUNT));
  const pages = [
    { kind: "account" as const, groups: inGroups(accounts, USERS_PER_STEP), documentOf: accountDocument },
    {
      kind: "user" as const,
      groups: inGroups(numbers(users), USERS_PER_STEP),
      documentOf: (n: number) => userDocument(n),
    },
  ];
  for (const { kind, groups, documentOf } of pages) {
    for (const group of groups) {
      const documents = group.map(documentOf);
      const afterId = String(documents.at(-1)?.report.id);
      await questions.writeDocuments(org, documents, { kind, afterId }, typeOf);
    }
  }
  await questions.endDocuments(org, 0);
}

/** Events, then some users once more, then who is in the segment. */
async function writeChanges(questions: Questions, order: FillOrder): Promise<void> {
  const { org, users, segmentId, now, hasEvents } = order;
  const { rewritten, members } = amountsOf(order);
  let sequence = 0;
  const write = (change: Parameters<typeof stepOf>[1]) =>
    questions.writeChanges(org, stepOf(++sequence, change, typeOf));
  if (hasEvents) {
    for (const events of inGroups(eventsInOrder(users, now), EVENTS_PER_STEP)) await write({ events });
  }
  for (const group of inGroups(numbers(rewritten, REWRITTEN_EVERY), USERS_PER_STEP)) {
    await write({ users: group.map((n) => userDocument(n, sequence)) });
  }
  const at = new Date(now * 1_000).toISOString();
  for (const group of inGroups(numbers(members, MEMBER_EVERY), USERS_PER_STEP)) {
    const move = {
      segmentId,
      segmentName: "A tenth",
      subjectType: "user" as const,
      entered: group.map(userId),
      left: [],
    };
    await write({ evaluation: { at, moves: [move] } });
  }
  if (sequence !== lastSequence(order))
    throw new Error(`${sequence} changes were written, not ${lastSequence(order)}.`);
}
