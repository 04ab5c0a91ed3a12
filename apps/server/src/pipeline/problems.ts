import type { Problem } from "@muster/protocol/api/status";
import type { Database } from "../storage/postgres/database.js";
import { listBrokenSegments } from "../storage/postgres/segments/segments.js";
import { listStageProblems } from "../storage/postgres/stage-problems.js";

/** What does not work for an organization at present: stages of the pipeline that fail, and broken segments. */
export class Problems {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(organizationId: string): Promise<Problem[]> {
    const [stages, segments] = await Promise.all([
      listStageProblems(this.#database, organizationId),
      listBrokenSegments(this.#database, organizationId),
    ]);
    return [
      ...stages.map(({ stage, message, since }) => ({
        kind: "stage" as const,
        id: stage,
        name: stage,
        message,
        since: since.toISOString(),
      })),
      ...segments.map(({ id, name, problem, problemSince, updatedAt }) => ({
        kind: "segment" as const,
        id,
        name,
        message: problem ?? "",
        since: (problemSince ?? updatedAt).toISOString(),
      })),
    ];
  }
}
