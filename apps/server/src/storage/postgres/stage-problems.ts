import type { Queryable } from "./database.js";

/** A stage of the pipeline that fails for an organization. */
export interface StageProblem {
  stage: string;
  message: string;
  since: Date;
}

export interface FailingStage {
  organizationId: string;
  stage: string;
}

/** Stores why a stage fails. The time of its first failure stays. */
export async function saveStageProblem(
  database: Queryable,
  organizationId: string,
  { stage, message }: Pick<StageProblem, "stage" | "message">,
): Promise<void> {
  await database.query(
    `insert into stage_problems (organization_id, stage, message)
     values ($1, $2, $3)
     on conflict (organization_id, stage) do update
     set message = excluded.message`,
    [organizationId, stage, message],
  );
}

export async function removeStageProblem(database: Queryable, organizationId: string, stage: string): Promise<void> {
  await database.query("delete from stage_problems where organization_id = $1 and stage = $2", [organizationId, stage]);
}

/** The stages that have a problem, of all organizations. */
export async function listFailingStages(database: Queryable): Promise<FailingStage[]> {
  const { rows } = await database.query<FailingStage>(
    `select organization_id as "organizationId", stage from stage_problems`,
  );
  return rows;
}

export async function listStageProblems(database: Queryable, organizationId: string): Promise<StageProblem[]> {
  const { rows } = await database.query<StageProblem>(
    "select stage, message, since from stage_problems where organization_id = $1 order by stage",
    [organizationId],
  );
  return rows;
}
