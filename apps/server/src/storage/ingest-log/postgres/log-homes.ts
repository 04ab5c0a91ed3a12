import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import type { Database, Queryable, Transaction } from "../../postgres/database.js";
import type { LogKind } from "../ingestion-log.js";
import type { HomeStream, LogHome, StreamIdentity } from "../log-home.js";

/** The log of an organization that was never moved. */
const IN_POSTGRES: LogHome = { number: 0, stream: undefined, closingAt: undefined, until: undefined };

const ALL_LANES: readonly Lane[] = ["a", "b", "l"];

interface LogHomeRow {
  number: number;
  stream: string | null;
  stream_created: string | null;
  base: number;
  after_sequence: number;
  closing_at: Date | null;
  until: LanePositions | null;
}

/** The logs of an organization, the present one last. */
export async function readHomes(tx: Queryable, organizationId: string): Promise<[...LogHome[], LogHome]> {
  const { rows } = await tx.query<LogHomeRow>(
    `select number, stream, stream_created, base, after_sequence, closing_at, until
     from log_placements
     where organization_id = $1
     order by number`,
    [organizationId],
  );
  const homes = rows.map((row) => ({
    number: row.number,
    stream: row.stream === null ? undefined : streamOf(row.stream, row),
    closingAt: row.closing_at ?? undefined,
    until: row.until ?? undefined,
  }));
  const last = homes.pop() ?? IN_POSTGRES;
  return [...homes, last];
}

function streamOf(name: string, row: Pick<LogHomeRow, "stream_created" | "base" | "after_sequence">): HomeStream {
  return { name, created: row.stream_created ?? "", base: row.base, afterSequence: row.after_sequence };
}

/** Whether an organization has a log already, in PostgreSQL or elsewhere. */
export async function hasLog(tx: Queryable, organizationId: string): Promise<boolean> {
  const { rows } = await tx.query("select from log_heads where organization_id = $1 limit 1", [organizationId]);
  return rows.length > 0;
}

/**
 * The last position of each lane as PostgreSQL knows it, and whether the log is elsewhere. The positions of that log are
 * above `begin`.
 */
export async function readNotedHeads(
  tx: Queryable,
  organizationId: string,
): Promise<{ heads: LanePositions; isElsewhere: boolean; begin: number }> {
  const { rows } = await tx.query<{ lane: Lane; position: number; is_elsewhere: boolean; begin: number }>(
    `select h.lane, h.position, h.is_elsewhere, coalesce(p.base + p.after_sequence, 0) as begin
     from log_heads h
     left join log_placements p on p.organization_id = h.organization_id and p.until is null
     where h.organization_id = $1`,
    [organizationId],
  );
  const heads = Object.fromEntries(rows.map(({ lane, position }) => [lane, position]));
  return { heads, isElsewhere: rows.some(({ is_elsewhere }) => is_elsewhere), begin: rows[0]?.begin ?? 0 };
}

/** The streams that hold logs, also those of organizations that have moved since. */
export async function listStreams(tx: Queryable): Promise<StreamIdentity[]> {
  const { rows } = await tx.query<StreamIdentity>(
    "select distinct stream as name, stream_created as created from log_placements where stream is not null",
  );
  return rows;
}

class HasLogAlready extends Error {}

/** Gives an organization without a log one in a stream. It does nothing when the organization has got a log meanwhile. */
export async function placeInStream(
  database: Database,
  organizationId: string,
  { name, created }: StreamIdentity,
): Promise<void> {
  const place = database.transaction(async (tx) => {
    // The rows of all lanes are written first. A concurrent append to PostgreSQL waits for these rows, and then finds that
    // the log is elsewhere.
    const { rowCount } = await tx.query(
      `insert into log_heads (organization_id, lane, is_elsewhere)
       select $1, lane, true from unnest($2::"char"[]) as l (lane)
       on conflict do nothing`,
      [organizationId, ALL_LANES],
    );
    if (rowCount !== ALL_LANES.length) throw new HasLogAlready();
    await tx.query(
      `insert into log_placements (organization_id, number, kind, stream, stream_created)
       values ($1, 1, 'nats', $2, $3)`,
      [organizationId, name, created],
    );
  });
  await place.catch((error: unknown) => {
    if (!(error instanceof HasLogAlready)) throw error;
  });
}

/** Where a lane ends, and how many entries it has had. */
export interface LaneHead {
  lane: Lane;
  position: number;
  entries: number;
}

/** Stops appends to the log in PostgreSQL until the transaction ends, and waits for those under way. */
export async function lockHeads(tx: Transaction, organizationId: string): Promise<LaneHead[]> {
  await tx.query(
    `insert into log_heads (organization_id, lane)
     select $1, lane from unnest($2::"char"[]) as l (lane)
     on conflict do nothing`,
    [organizationId, ALL_LANES],
  );
  const { rows } = await tx.query<LaneHead>(
    "select lane, position, entries from log_heads where organization_id = $1 order by lane for update",
    [organizationId],
  );
  return rows;
}

/** Says where the lanes end, and whether their batches are elsewhere from now on. */
export async function setHeads(
  tx: Transaction,
  organizationId: string,
  heads: readonly LaneHead[],
  isElsewhere: boolean,
): Promise<void> {
  await tx.query(
    `update log_heads h
     set position = g.position, entries = g.entries, is_elsewhere = $5, behind_since = null
     from unnest($2::"char"[], $3::bigint[], $4::bigint[]) as g (lane, position, entries)
     where h.organization_id = $1 and h.lane = g.lane`,
    [
      organizationId,
      heads.map(({ lane }) => lane),
      heads.map(({ position }) => position),
      heads.map(({ entries }) => entries),
      isElsewhere,
    ],
  );
}

/** Ends the present log of an organization, and begins the next one. */
export async function replaceHome(
  tx: Transaction,
  organizationId: string,
  present: LogHome,
  until: LanePositions,
  stream: HomeStream | undefined,
): Promise<void> {
  await tx.query(
    `insert into log_placements as p (organization_id, number, kind, stream, stream_created, base, after_sequence, until)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (organization_id, number) do update set until = excluded.until`,
    [organizationId, present.number, ...columnsOf(present.stream), JSON.stringify(until)],
  );
  await tx.query(
    `insert into log_placements (organization_id, number, kind, stream, stream_created, base, after_sequence)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [organizationId, present.number + 1, ...columnsOf(stream)],
  );
}

function columnsOf(stream: HomeStream | undefined): unknown[] {
  return stream
    ? ["nats", stream.name, stream.created, stream.base, stream.afterSequence]
    : ["postgres", null, null, 0, 0];
}

/** Says that nothing new may be written to the present log, and where the next one is. */
export async function closeHome(tx: Queryable, organizationId: string, number: number, to: LogKind): Promise<void> {
  await tx.query(
    `update log_placements
     set closing_at = coalesce(closing_at, clock_timestamp()), closing_to = coalesce(closing_to, $3)
     where organization_id = $1 and number = $2 and until is null`,
    [organizationId, number, to],
  );
}

/** Organizations whose log was closed so long ago that nothing is written to it any more. */
export async function listClosed(tx: Queryable, sinceMs: number): Promise<{ organizationId: string; to: LogKind }[]> {
  const { rows } = await tx.query<{ organizationId: string; to: LogKind }>(
    `select organization_id as "organizationId", coalesce(closing_to, 'postgres') as "to"
     from log_placements
     where until is null and closing_at < clock_timestamp() - $1 * interval '1 millisecond'`,
    [sinceMs],
  );
  return rows;
}

/** Notes how far the lanes in a stream are. Counts of entries are put right where nothing waits. */
export async function noteStreamHeads(
  database: Database,
  stream: StreamIdentity,
  heads: readonly { organizationId: string; lane: Lane; seq: number; receivedAt: Date }[],
): Promise<void> {
  await database.query(
    `update log_heads h
     set position = p.base + g.seq,
       behind_since = case when h.position <= coalesce(c.position, 0) then g.received_at else h.behind_since end
     from unnest($2::text[], $3::"char"[], $4::bigint[], $5::timestamptz[]) as g (organization_id, lane, seq, received_at)
     join log_placements p on p.organization_id = g.organization_id and p.stream = $1
       and p.stream_created = $6 and p.until is null
     left join apply_cursors c on c.organization_id = g.organization_id and c.lane = g.lane
     where h.organization_id = g.organization_id and h.lane = g.lane and h.is_elsewhere
       and g.seq > p.after_sequence and h.position < p.base + g.seq`,
    [
      stream.name,
      heads.map(({ organizationId }) => organizationId),
      heads.map(({ lane }) => lane),
      heads.map(({ seq }) => seq),
      heads.map(({ receivedAt }) => receivedAt),
      stream.created,
    ],
  );
  await database.query(
    `update log_heads h
     set entries = c.entries
     from apply_cursors c
     where c.organization_id = h.organization_id and c.lane = h.lane
       and h.is_elsewhere and h.position <= c.position and h.entries <> c.entries`,
  );
}

/** A lane in a stream, and the position up to which it is applied. */
export interface StreamLaneEnd {
  organizationId: string;
  lane: Lane;
  stream: HomeStream;
  until: number;
}

/** Every lane in a stream of which something was applied. */
export async function listStreamLanes(tx: Queryable): Promise<StreamLaneEnd[]> {
  const { rows } = await tx.query<
    Pick<LogHomeRow, "stream_created" | "base" | "after_sequence"> & {
      organization_id: string;
      lane: Lane;
      stream: string;
      applied: number;
    }
  >(
    `select p.organization_id, c.lane, p.stream, p.stream_created, p.base, p.after_sequence,
       least(c.position, (p.until ->> c.lane::text)::bigint) as applied
     from log_placements p
     join apply_cursors c using (organization_id)
     where p.stream is not null and c.position > p.base`,
  );
  return rows.map((row) => {
    const { organization_id: organizationId, lane, applied } = row;
    return { organizationId, lane, stream: streamOf(row.stream, row), until: applied };
  });
}
