import type { Database } from "../../storage/postgres/database.js";
import type { Revisions } from "../../storage/postgres/definitions/revisions.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";
import type { CatchUp } from "./catch-up.js";
import { prepareChanges, type Reports } from "./prepare-changes.js";

export interface ProjectOptions {
  database: Database;
  questions: Pick<Questions, "writeChanges">;
  maxAttributes: number;
}

/** Changes on their way to the question engine. */
export interface Projection {
  /** Settles when the question engine has them. */
  written: Promise<void>;
  /** The reports that are written. */
  reports: Reports;
}

/**
 * The project stage: copies consecutive changes to the question engine. It returns when the engine has begun to write, so
 * that the next stages go on meanwhile. The engine recognises changes that it has already.
 */
export async function projectChanges(
  options: ProjectOptions,
  organizationId: string,
  changes: readonly UnprojectedChange[],
  { revisions, catchUp }: { revisions: Revisions | undefined; catchUp: Pick<CatchUp, "completeAt" | "checkAgain"> },
): Promise<Projection> {
  const completeAt = catchUp.completeAt(organizationId);
  const mode = { withDocuments: true, isReplay: false, revisions, ...(completeAt === undefined ? {} : { completeAt }) };
  const { step, reports, isAhead } = await prepareChanges(options, organizationId, changes, mode);
  if (isAhead) catchUp.checkAgain(organizationId);
  return { written: options.questions.writeChanges(organizationId, step), reports };
}
