import { Refusal } from "@muster/protocol";
import type { Queryable } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";

/** Checks that PostgreSQL and the question engine answer. Refuses when one of them does not. */
export async function checkEngines(database: Queryable, questions: Pick<Questions, "ping">): Promise<void> {
  try {
    await Promise.all([database.query("select 1"), questions.ping()]);
  } catch (cause) {
    throw new Refusal("unavailable", "An engine does not answer.", { retryAfter: 1, cause });
  }
}
