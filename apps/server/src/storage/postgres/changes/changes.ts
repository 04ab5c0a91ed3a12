import type { ChangeSet } from "../../../domain/changes/change-set.js";
import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import { Breather } from "../../../runtime/loops/breather.js";
import { LogGap } from "../../logs/log-gap.js";
import type { Queryable, Transaction } from "../database.js";
import { LeaseLost } from "../leases/lease-lost.js";
import { decompressChange } from "./decompress-change.js";

/**
 * Locks the organization's change log until the transaction ends, so that only one process applies entries. Returns the
 * sequence of the last change.
 */
export async function lockChangeHead(tx: Transaction, organizationId: string): Promise<number> {
  const { rows } = await tx.query<{ sequence: number }>(
    `insert into change_heads (organization_id)
     values ($1)
     on conflict (organization_id) do update
     set sequence = change_heads.sequence
     returning sequence`,
    [organizationId],
  );
  return rows[0]!.sequence;
}

export async function appendChange(
  tx: Transaction,
  organizationId: string,
  change: { sequence: number; lane: Lane; position: number; payload: Buffer; isEvaluation?: boolean },
): Promise<void> {
  await tx.query(
    `with head as (
       update change_heads set sequence = $2 where organization_id = $1
     )
     insert into changes (organization_id, sequence, lane, position, payload, is_evaluation)
     values ($1, $2, $3, $4, $5, $6)`,
    [organizationId, change.sequence, change.lane, change.position, change.payload, change.isEvaluation ?? false],
  );
}

export interface LoggedChange {
  sequence: number;
  lane: Lane;
  position: number;
  change: ChangeSet;
}

/**
 * The next changes after a sequence, without a gap. Throws when the next one is missing although later ones were made.
 */
export async function readNextChanges(
  database: Queryable,
  organizationId: string,
  after: number,
  limits: ChangeLimits,
): Promise<LoggedChange[]> {
  const found = await readChanges(database, organizationId, after, limits);
  const end = found.findIndex(({ sequence }, index) => sequence !== after + 1 + index);
  const next = end === -1 ? found : found.slice(0, end);
  if (next.length > 0) return next;
  const isMissing = found.length > 0 || (await readChangeHead(database, organizationId)) > after;
  if (!isMissing) return [];
  // A change may have been made since the first look. It is missing only if it cannot be found now.
  const [again] = await readChanges(database, organizationId, after, { changes: 1, bytes: 1 });
  if (again?.sequence === after + 1) return [again];
  throw new LogGap("the change log", after + 1);
}

/** The sequence of the first change that the log still has; undefined when it has none. */
export async function firstSequence(database: Queryable, organizationId: string): Promise<number | undefined> {
  const { rows } = await database.query<{ first: number | null }>(
    "select min(sequence) as first from changes where organization_id = $1",
    [organizationId],
  );
  return rows[0]?.first ?? undefined;
}

/** How much is read at once. One change is read even if it is larger. */
export interface ChangeLimits {
  changes: number;
  /** Compressed. */
  bytes: number;
}

export async function readChanges(
  database: Queryable,
  organizationId: string,
  after: number,
  { changes, bytes }: ChangeLimits,
): Promise<LoggedChange[]> {
  const { rows } = await database.query<{ sequence: number; lane: Lane; position: number; payload: Buffer }>(
    `select c.sequence, c.lane, c.position, c.payload
     from (
       select sequence, sum(bytes) over (order by sequence) - bytes as before
       from (
         select sequence, octet_length(payload) as bytes
         from changes
         where organization_id = $1 and sequence > $2
         order by sequence
         limit $3
       ) next
     ) sized
     join changes c on c.organization_id = $1 and c.sequence = sized.sequence
     where sized.before < $4
     order by c.sequence`,
    [organizationId, after, changes, bytes],
  );
  const breather = new Breather();
  const read: LoggedChange[] = [];
  for (const { payload, ...row } of rows) {
    if (breather.isDue) await breather.pause();
    read.push({ ...row, change: decompressChange(payload) });
  }
  return read;
}

/** When changes were made, in milliseconds, by their sequence. Those that the log does not hold any more are missing. */
export async function readChangeTimes(
  database: Queryable,
  organizationId: string,
  sequences: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await database.query<{ sequence: number; created_at: Date }>(
    `select sequence, created_at
     from changes
     where organization_id = $1 and sequence = any($2::bigint[])`,
    [organizationId, [...new Set(sequences)]],
  );
  return new Map(rows.map(({ sequence, created_at }) => [sequence, created_at.getTime()]));
}

/** The next changes after a sequence that an evaluation made. */
export async function readEvaluations(
  database: Queryable,
  organizationId: string,
  after: number,
  limit: number,
): Promise<{ sequence: number; change: ChangeSet }[]> {
  const { rows } = await database.query<{ sequence: number; payload: Buffer }>(
    `select sequence, payload
     from changes
     where organization_id = $1 and sequence > $2 and is_evaluation
     order by sequence
     limit $3`,
    [organizationId, after, limit],
  );
  return rows.map(({ sequence, payload }) => ({ sequence, change: decompressChange(payload) }));
}

export interface ProjectCursor {
  sequence: number;
  positions: LanePositions;
}

/** The cursor, and the generation that the question engine must have. */
export interface GenerationCursor extends ProjectCursor {
  generation: string;
  /** The values of computed attributes follow from the changes up to this one. */
  computedUntil: number;
}

export async function readProjectCursor(
  database: Queryable,
  organizationId: string,
): Promise<GenerationCursor | (ProjectCursor & { generation: undefined })> {
  const { rows } = await database.query<GenerationCursor>(
    `select sequence, positions, generation, computed_until as "computedUntil"
     from project_cursors
     where organization_id = $1`,
    [organizationId],
  );
  return rows[0] ?? { sequence: 0, positions: {}, generation: undefined };
}

/** Reads the cursor of an organization. If there is none yet, it is created with a new generation. */
export async function openProjectCursor(database: Queryable, organizationId: string): Promise<GenerationCursor> {
  const known = await readProjectCursor(database, organizationId);
  if (known.generation !== undefined) return known;
  const { rows } = await database.query<GenerationCursor>(
    `insert into project_cursors (organization_id)
     values ($1)
     on conflict (organization_id) do update
     set sequence = project_cursors.sequence
     returning sequence, positions, generation, computed_until as "computedUntil"`,
    [organizationId],
  );
  return rows[0]!;
}

/** All organizations that have a cursor. */
export async function organizationsProjected(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>("select organization_id from project_cursors");
  return rows.map(({ organization_id }) => organization_id);
}

/** The sequence of the last change. */
export async function readChangeHead(database: Queryable, organizationId: string): Promise<number> {
  const { rows } = await database.query<{ sequence: number }>(
    "select sequence from change_heads where organization_id = $1",
    [organizationId],
  );
  return rows[0]?.sequence ?? 0;
}

/** Moves the cursor. Throws when it is not where the step began, because another process has moved it. */
export async function saveProjectCursor(
  tx: Transaction,
  organizationId: string,
  before: ProjectCursor,
  after: ProjectCursor & Pick<GenerationCursor, "computedUntil">,
): Promise<void> {
  const { rowCount } = await tx.query(
    `update project_cursors
     set sequence = $3, positions = $4::text::jsonb, computed_until = $5
     where organization_id = $1 and sequence = $2`,
    [organizationId, before.sequence, after.sequence, JSON.stringify(after.positions), after.computedUntil],
  );
  if (rowCount !== 1) throw new LeaseLost(`the relay of ${organizationId}`);
}

/** Notes up to which change the values of computed attributes are written. The cursor must be where the step began. */
export async function saveComputedUntil(
  tx: Transaction,
  organizationId: string,
  { sequence }: ProjectCursor,
  computedUntil: number,
): Promise<void> {
  const { rowCount } = await tx.query(
    "update project_cursors set computed_until = $3 where organization_id = $1 and sequence = $2",
    [organizationId, sequence, computedUntil],
  );
  if (rowCount !== 1) throw new LeaseLost(`the relay of ${organizationId}`);
}
