import { parse, type Question, reportTest } from "@muster/query";
import { EVENT_NAMES } from "../dataset/attributes.js";
import { typeOf } from "../dataset/generate.js";
import { MicroBatches, type MicroBatchOptions } from "../dataset/micro-batches.js";
import { segmentQueries } from "../dataset/segment-queries.js";
import { answerOrders } from "../lib/answer-orders.js";
import { openServersQuestions, type ProjectionStep, type Questions } from "../lib/questions.js";
import { secondsSince } from "../lib/seconds-since.js";

/**
 * An order to measure what the question engine does for the ingest load. This module is a process of its own, so that its
 * processor time contains nothing else.
 */
export interface EngineOrder extends MicroBatchOptions {
  dataDir: string;
  org: string;
  seconds: number;
  segments: number;
}

/** Processor time is in microseconds for each record: a user that is replaced, and an event of that user. */
export interface EngineReport {
  users: number;
  seconds: number;
  sequence: number;
  writeCpu: number;
  evaluateCpu: number;
}

const WARM_UP_STEPS = 10;

answerOrders(async (order: EngineOrder) => {
  const questions = await openServersQuestions(order.dataDir);
  const report = await measure(questions, order);
  await questions.close();
  return report;
});

async function measure(questions: Questions, order: EngineOrder): Promise<EngineReport> {
  const { org, users, size, seconds } = order;
  const asked = questionsOf(order.segments);
  const batches = new MicroBatches({ users, size, sequence: order.sequence });
  for (let step = 0; step < WARM_UP_STEPS; step++) {
    const batch = batches.next();
    await questions.writeChanges(org, batch);
    await evaluate(questions, org, batch, asked);
  }
  const makeCpu = costOfMaking(order);
  const spent = { write: 0, evaluate: 0 };
  const startedAt = performance.now();
  let steps = 0;
  let sequence = order.sequence;
  while (performance.now() - startedAt < seconds * 1_000) {
    const before = cpuNow();
    const batch = batches.next();
    await questions.writeChanges(org, batch);
    const written = cpuNow();
    await evaluate(questions, org, batch, asked);
    spent.write += written - before;
    spent.evaluate += cpuNow() - written;
    steps += 1;
    sequence = batch.changes[0]?.sequence ?? sequence;
  }
  const touched = steps * Math.min(size, users);
  return {
    users: touched,
    seconds: secondsSince(startedAt),
    sequence,
    writeCpu: spent.write / touched - makeCpu,
    evaluateCpu: spent.evaluate / touched,
  };
}

/** Reads what evaluation needs: the memberships of the users, and the answers that their reports do not contain. */
async function evaluate(
  questions: Questions,
  org: string,
  { documents }: ProjectionStep,
  asked: readonly Question[],
): Promise<void> {
  const ids = documents.user.written.map(({ report }) => String(report.id));
  const reading = { target: "user" as const, attributeTypes: { typeOf }, now: new Date() };
  await Promise.all([questions.membershipsOf(org, ids), questions.answer(org, asked, ids, reading)]);
}

/** The distinct questions of segments that the reports of touched users do not answer. */
function questionsOf(segments: number): Question[] {
  const options = { target: "user" as const, attributeTypes: { typeOf }, now: new Date() };
  const tests = segmentQueries(segments, (place) => `Event ${place % EVENT_NAMES}`).map((query) =>
    reportTest(parse(query, options), options),
  );
  return [
    ...new Map(tests.flatMap((test) => test?.questions ?? []).map((question) => [question.id, question])).values(),
  ];
}

/** The processor time of making a micro-batch, which is not part of the engine's. */
function costOfMaking({ users, size, sequence }: EngineOrder): number {
  const batches = new MicroBatches({ users, size, sequence });
  const steps = Math.ceil(20_000 / size);
  const before = cpuNow();
  for (let step = 0; step < steps; step++) batches.next();
  return (cpuNow() - before) / (steps * Math.min(size, users));
}

/** Processor time of all threads of this process, in microseconds. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
