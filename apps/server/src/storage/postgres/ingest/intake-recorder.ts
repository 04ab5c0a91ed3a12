import type { Lane } from "../../../domain/entries/lanes.js";
import { Loop } from "../../../runtime/loops/loop.js";
import type { Database } from "../database.js";

const WRITE_EVERY_MS = 1_000;
const FIGURE_MS = 10_000;
// So many counts wait only while the database accepts no writes. Then memory matters more than these figures.
const MAX_WAITING = 20_000;

/** Entries of a lane that were appended to a log outside PostgreSQL. */
export interface AppendedLane {
  lane: Lane;
  position: number;
  entries: number;
  receivedAt: Date;
}

interface LaneCount {
  position: number;
  entries: number;
  since: Date;
}

/**
 * Notes in PostgreSQL what was appended to a log elsewhere, once a second: how far the log is, how many entries wait, and
 * the figures of the overview. A process that is killed loses the counts of its last second. They serve figures and the
 * limit of the backlog; the log itself says what is to be applied.
 */
export class IntakeRecorder {
  readonly #database: Database;
  readonly #loop: Loop;
  #lanes = new Map<string, LaneCount>();
  #figures = new Map<string, number>();

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#loop = new Loop({
      step: async () => {
        await this.#write();
        return WRITE_EVERY_MS;
      },
      onError,
    });
  }

  start(): void {
    this.#loop.start();
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    await this.#write();
  }

  add(organizationId: string, appended: readonly AppendedLane[]): void {
    for (const { lane, position, entries, receivedAt } of appended) {
      this.#addLane(`${lane}${organizationId}`, { position, entries, since: receivedAt });
      this.#addFigure(`${Math.floor(receivedAt.getTime() / FIGURE_MS)} ${organizationId}`, entries);
    }
  }

  #addLane(key: string, { position, entries, since }: LaneCount): void {
    const known = this.#lanes.get(key);
    if (known) {
      known.position = Math.max(known.position, position);
      known.entries += entries;
    } else if (this.#lanes.size < MAX_WAITING) {
      this.#lanes.set(key, { position, entries, since });
    }
  }

  #addFigure(key: string, entries: number): void {
    const known = this.#figures.get(key);
    if (known !== undefined || this.#figures.size < MAX_WAITING) this.#figures.set(key, (known ?? 0) + entries);
  }

  async #write(): Promise<void> {
    const lanes = [...this.#lanes].sort(byKey);
    this.#lanes = new Map();
    if (lanes.length > 0) {
      await this.#writeLanes(lanes).catch((error: unknown) => {
        for (const [key, count] of lanes) this.#addLane(key, count);
        throw error;
      });
    }
    const figures = [...this.#figures].sort(byKey);
    this.#figures = new Map();
    if (figures.length > 0) {
      await this.#writeFigures(figures).catch((error: unknown) => {
        for (const [key, entries] of figures) this.#addFigure(key, entries);
        throw error;
      });
    }
  }

  async #writeLanes(lanes: readonly [string, LaneCount][]): Promise<void> {
    await this.#database.query(
      // Locks the rows in one order, so that two processes cannot deadlock.
      `with given as (
         select *
         from unnest($1::text[], $2::"char"[], $3::bigint[], $4::bigint[], $5::timestamptz[])
           as g (organization_id, lane, position, entries, since)
       ), locked as (
         select h.organization_id, h.lane, g.position, g.entries, g.since,
           h.position <= coalesce(c.position, 0) as was_idle
         from log_heads h
         join given g using (organization_id, lane)
         left join apply_cursors c using (organization_id, lane)
         where h.is_elsewhere
         order by h.organization_id, h.lane
         for update of h
       )
       update log_heads h
       set position = greatest(h.position, l.position), entries = h.entries + l.entries,
         behind_since = case when l.was_idle then l.since else h.behind_since end
       from locked l
       where h.organization_id = l.organization_id and h.lane = l.lane`,
      [
        // A key begins with its lane.
        lanes.map(([key]) => key.slice(1)),
        lanes.map(([key]) => key[0]),
        lanes.map(([, { position }]) => position),
        lanes.map(([, { entries }]) => entries),
        lanes.map(([, { since }]) => since),
      ],
    );
  }

  async #writeFigures(figures: readonly [string, number][]): Promise<void> {
    await this.#database.query(
      `insert into intake_figures as f (organization_id, at, entries)
       select organization_id, at, entries
       from unnest($1::text[], $2::timestamptz[], $3::bigint[]) as g (organization_id, at, entries)
       order by organization_id, at
       on conflict (organization_id, at) do update
       set entries = f.entries + excluded.entries`,
      [
        figures.map(([key]) => key.slice(key.indexOf(" ") + 1)),
        figures.map(([key]) => new Date(Number.parseInt(key, 10) * FIGURE_MS)),
        figures.map(([, entries]) => entries),
      ],
    );
  }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
