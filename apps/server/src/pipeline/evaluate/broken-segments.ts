import { Refusal } from "@muster/protocol";
import { QueryError } from "@muster/query";
import type { Logger } from "pino";
import type { KnownSegment } from "../../audience/segments/known-segments.js";
import type { Database } from "../../storage/postgres/database.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import { markBroken } from "../../storage/postgres/segments/segments.js";
import { lacksRoom } from "../../storage/questions/lacks-room.js";
import { QuestionTimeout } from "../../storage/questions/question-timeout.js";
import type { Questions } from "../../storage/questions/questions.js";

/** A segment that cannot be evaluated, and why. It keeps its members. */
export interface BrokenSegment {
  segment: KnownSegment;
  problem: string;
  /** The error of the question engine, for the log. */
  cause?: unknown;
}

export function refusalOf({ message }: QueryError): string {
  return `The query is refused. ${message}`;
}

/**
 * Whether a segment caused an error, and not an unavailable engine. Returns the segment as
 * a broken one, or throws the error.
 */
export async function blame(
  segment: KnownSegment,
  error: unknown,
  questions: Pick<Questions, "ping">,
): Promise<BrokenSegment> {
  if (error instanceof QueryError) return { segment, problem: refusalOf(error) };
  if (error instanceof QuestionTimeout) return { segment, problem: error.message };
  // The engine was unavailable at the time of the question, even if it answers again by now.
  if (error instanceof Refusal && error.code === "unavailable" && !lacksRoom(error)) throw error;
  await questions.ping().catch(() => {
    throw error;
  });
  return { segment, problem: "The question engine cannot answer the query.", cause: error };
}

export interface MarkBrokenOptions {
  database: Database;
  lease: WorkLease;
  logger: Logger;
}

/** Stores that segments cannot be evaluated. They are left out until a sweep succeeds. */
export async function noteBroken(
  { database, lease, logger }: MarkBrokenOptions,
  organizationId: string,
  broken: readonly BrokenSegment[],
): Promise<void> {
  if (broken.length === 0) return;
  await database.transaction(async (tx) => {
    await lease.confirm(tx);
    await markBroken(
      tx,
      organizationId,
      broken.map(({ segment, problem }) => ({ id: segment.id, revision: segment.revision, problem })),
      new Date(),
    );
  });
  for (const { segment, problem, cause } of broken.filter(({ segment }) => segment.problem === null)) {
    logger.warn({ organizationId, segmentId: segment.id, problem, err: cause }, "a segment cannot be evaluated");
  }
}
