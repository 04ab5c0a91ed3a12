import { Refusal } from "@muster/protocol";
import { within } from "../runtime/loops/within.js";
import type { Queryable } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";

const LIMIT_MS = 5_000;

/** Checks that PostgreSQL and the question engine answer. Refuses when one of them does not, and says which. */
export async function checkEngines(database: Queryable, questions: Pick<Questions, "ping">): Promise<void> {
  await Promise.all([check("PostgreSQL", database.query("select 1")), check("The question engine", questions.ping())]);
}

async function check(engine: string, answer: Promise<unknown>): Promise<void> {
  try {
    await within(LIMIT_MS, answer, () => new Error(`No answer within ${LIMIT_MS / 1_000} seconds.`));
  } catch (cause) {
    throw new Refusal("unavailable", `${engine} does not answer.`, { retryAfter: 1, cause });
  }
}
