import type { Evaluation } from "../../../../domain/changes/change-set.js";
import type { StoredEvent } from "../../../../domain/events/stored-event.js";
import { inParts } from "../../../../runtime/loops/in-parts.js";
import type { Statements } from "../client/statements.js";
import { insertMemberships } from "./insert-rows.js";
import { writeEvents } from "./write-events.js";

const ROWS_PER_INSERT = 50_000;

/** Writes the moves of an evaluation and their events, with the sequence of its change as version. */
export async function writeEvaluation(
  statements: Statements,
  organizationId: string,
  sequence: number,
  evaluation: Evaluation,
  events: readonly StoredEvent[],
): Promise<void> {
  const common = { org: organizationId, enteredAt: new Date(evaluation.at), version: sequence };
  const rows = evaluation.moves.flatMap(({ segmentId, entered, left }) => [
    ...entered.map((subjectId) => ({ ...common, segmentId, subjectId })),
    ...left.map((subjectId) => ({ ...common, segmentId, subjectId, deleted: true })),
  ]);
  for (const part of inParts(rows, ROWS_PER_INSERT)) await statements.run(insertMemberships(part));
  await writeEvents(
    statements,
    organizationId,
    events.map((event) => ({ event, version: sequence })),
  );
}
