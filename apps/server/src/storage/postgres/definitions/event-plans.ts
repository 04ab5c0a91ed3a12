import type { CountedProblem, EventPlan, PlannedProperty } from "../../../domain/events/event-plan.js";
import type { Queryable } from "../database.js";

/** A stored plan. */
export interface EventPlanRow extends EventPlan {
  properties: PlannedProperty[] | null;
  description: string;
  owner: string;
  hidden: boolean;
  /** Events that have come since the merge know the name that they came with, so the merge can be undone. */
  keepsSentNames: boolean;
  updatedAt: Date;
}

export interface EventPlanProblemRow {
  property: string;
  problem: CountedProblem["problem"];
  found: string;
  count: number;
  refused: number;
  firstAt: Date;
  lastAt: Date;
}

const COLUMNS = `name, description, owner, properties, refuses, hidden, merged_into as "mergedInto",
       keeps_sent_names as "keepsSentNames", updated_at as "updatedAt"`;

/** All plans of an organization, and the revision at which they are so. */
export async function readEventPlans(
  database: Queryable,
  organizationId: string,
): Promise<{ revision: string | undefined; plans: EventPlan[] }> {
  // One statement, so that the revision is that of the rows.
  const { rows } = await database.query<{ revision: string | null } & EventPlan & { name: string | null }>(
    `select o.revision, p.name, p.properties, coalesce(p.refuses, false) as refuses, p.merged_into as "mergedInto"
     from (select (select event_plans_revision from organizations where id = $1) as revision) o
     left join event_plans p on p.organization_id = $1`,
    [organizationId],
  );
  const plans = rows.flatMap(({ revision: _revision, ...plan }) => (plan.name === null ? [] : [plan]));
  return { revision: rows[0]?.revision ?? undefined, plans };
}

/** The revision of an organization's plans. Undefined for an organization that does not exist. */
export async function readPlansRevision(database: Queryable, organizationId: string): Promise<string | undefined> {
  const { rows } = await database.prepared<{ revision: string }>(
    "select event_plans_revision as revision from organizations where id = $1",
    [organizationId],
  );
  return rows[0]?.revision;
}

export async function findEventPlan(
  database: Queryable,
  organizationId: string,
  name: string,
): Promise<EventPlanRow | undefined> {
  const { rows } = await database.query<EventPlanRow>(
    `select ${COLUMNS} from event_plans where organization_id = $1 and name = $2`,
    [organizationId, name],
  );
  return rows[0];
}

/** How many names are planned, and the plans of some names with how much did not follow them. */
export async function listEventPlans(
  database: Queryable,
  organizationId: string,
  names: readonly string[],
): Promise<(EventPlanRow & { problems: number })[]> {
  const { rows } = await database.query<EventPlanRow & { problems: number }>(
    `select ${COLUMNS}, coalesce((
         select sum(count) from event_plan_problems b where b.organization_id = $1 and b.name = p.name
       ), 0)::float8 as problems
     from event_plans p
     where organization_id = $1 and name = any($2::text[])`,
    [organizationId, names],
  );
  return rows;
}

/** The names that lists do not offer: hidden ones, and those that were merged into others. */
export async function readHiddenEvents(database: Queryable, organizationId: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select name from event_plans where organization_id = $1 and (hidden or merged_into is not null)",
    [organizationId],
  );
  return rows.map(({ name }) => name);
}

/** Stores a plan and forgets what did not follow the plan before it. False when the organization has as many as it may. */
export async function saveEventPlan(
  database: Queryable,
  organizationId: string,
  {
    name,
    description,
    owner,
    properties,
    refuses,
    hidden,
  }: Omit<EventPlanRow, "mergedInto" | "keepsSentNames" | "updatedAt">,
  { limit, forgetsProblems }: { limit: number; forgetsProblems: boolean },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `insert into event_plans (organization_id, name, description, owner, properties, refuses, hidden)
     select $1, $2, $3, $4, $5::text::jsonb, $6, $7
     where (select count(*) from event_plans where organization_id = $1) < $8
       or exists (select from event_plans where organization_id = $1 and name = $2)
     on conflict (organization_id, name) do update
     set description = $3, owner = $4, properties = $5::text::jsonb, refuses = $6, hidden = $7, updated_at = now()`,
    [
      organizationId,
      name,
      description,
      owner,
      properties === null ? null : JSON.stringify(properties),
      refuses,
      hidden,
      limit,
    ],
  );
  if (forgetsProblems) {
    await database.query("delete from event_plan_problems where organization_id = $1 and name = $2", [
      organizationId,
      name,
    ]);
  }
  return rowCount === 1;
}

// A sender may invent property names without end. The first ones of an event name are counted.
const MAX_PROBLEMS_OF_NAME = 200;

/** Adds to the counts of what did not follow the plans. */
export async function savePlanProblems(
  database: Queryable,
  organizationId: string,
  problems: readonly CountedProblem[],
): Promise<void> {
  if (problems.length === 0) return;
  await database.query(
    `insert into event_plan_problems as b (organization_id, name, property, problem, found, count, refused)
     select $1, r.name, r.property, r.problem, r.found, r.count, r.refused
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
       as r (name, property, problem, found, count, refused)
     join event_plans p on p.organization_id = $1 and p.name = r.name
     where (
         select count(*) from event_plan_problems k where k.organization_id = $1 and k.name = r.name
       ) < $8
       or exists (
         select from event_plan_problems k
         where k.organization_id = $1 and k.name = r.name and k.property = r.property and k.problem = r.problem
       )
     on conflict (organization_id, name, property, problem) do update
     set found = excluded.found, count = b.count + excluded.count, refused = b.refused + excluded.refused,
         last_at = now()`,
    [
      organizationId,
      problems.map(({ name }) => name),
      problems.map(({ property }) => property),
      problems.map(({ problem }) => problem),
      problems.map(({ found }) => found),
      problems.map(({ count }) => count),
      problems.map(({ refused }) => refused),
      MAX_PROBLEMS_OF_NAME,
    ],
  );
}

/** What did not follow a plan, the most frequent first. */
export async function readPlanProblems(
  database: Queryable,
  organizationId: string,
  name: string,
): Promise<EventPlanProblemRow[]> {
  const { rows } = await database.query<EventPlanProblemRow>(
    `select property, problem, found, count::float8 as count, refused::float8 as refused, first_at as "firstAt",
       last_at as "lastAt"
     from event_plan_problems
     where organization_id = $1 and name = $2
     order by count desc, property
     limit $3`,
    [organizationId, name, MAX_PROBLEMS_OF_NAME],
  );
  return rows;
}

/**
 * Lets new events with one name get another, also those with names that were merged into the first before. Properties that
 * lists show move along. The plan of the name stays, for the case that the merge is undone.
 */
export async function mergeEventNames(
  database: Queryable,
  organizationId: string,
  { from, into }: { from: string; into: string },
): Promise<void> {
  await database.query(
    `insert into event_plans (organization_id, name, merged_into, keeps_sent_names)
     values ($1, $2, $3, true)
     on conflict (organization_id, name) do update
     set merged_into = $3, keeps_sent_names = true, updated_at = now()`,
    [organizationId, from, into],
  );
  await database.query(
    `insert into event_definitions (organization_id, name, properties, by_end_user)
     select organization_id, $3, properties, by_end_user
     from event_definitions
     where organization_id = $1 and name = $2
     on conflict (organization_id, name) do update
     set properties = excluded.properties || event_definitions.properties, updated_at = now()`,
    [organizationId, from, into],
  );
  await database.query("delete from event_definitions where organization_id = $1 and name = $2", [
    organizationId,
    from,
  ]);
}

/** Lets new events keep a name that was merged into another. Properties that lists show are those of both names. */
export async function separateEventName(
  database: Queryable,
  organizationId: string,
  { name, from }: { name: string; from: string },
): Promise<void> {
  await database.query(
    "update event_plans set merged_into = null, updated_at = now() where organization_id = $1 and name = $2",
    [organizationId, name],
  );
  await database.query(
    `insert into event_definitions (organization_id, name, properties, by_end_user)
     select organization_id, $2, properties, by_end_user
     from event_definitions
     where organization_id = $1 and name = $3
     on conflict (organization_id, name) do nothing`,
    [organizationId, name, from],
  );
}
