import { answerOrders } from "../lib/answer-orders.js";
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

// This module is a process of its own, because only one process at a time may open the data directory.
answerOrders(async (order: FillOrder) => {
  const questions = await openServersQuestions(order.dataDir);
  await writeDocuments(questions, order);
  await writeChanges(questions, order);
  await questions.close();
  return { isDone: true };
});

async function writeDocuments(questions: Questions, { org, generation, users }: FillOrder): Promise<void> {
  await questions.begin(org, generation);
  const accounts = numbers(Math.ceil(users / USERS_PER_ACCOUNT));
  const pages = [
    { subjectType: "account" as const, groups: inGroups(accounts, USERS_PER_STEP), documentOf: accountDocument },
    {
      subjectType: "user" as const,
      groups: inGroups(numbers(users), USERS_PER_STEP),
      documentOf: (n: number) => userDocument(n),
    },
  ];
  for (const { subjectType, groups, documentOf } of pages) {
    for (const group of groups) {
      const documents = group.map(documentOf);
      const afterId = String(documents.at(-1)?.report.id);
      await questions.writeDocuments(org, documents, { kind: subjectType, afterId }, typeOf);
    }
  }
  await questions.endDocuments(org, 0);
}

/** Writes the events, then some users a second time, then the members of the segment. */
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
