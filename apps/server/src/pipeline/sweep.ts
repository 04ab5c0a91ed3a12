import { membersOf } from "../storage/clickhouse/memberships.js";
import { readProjectCursor } from "../storage/postgres/changes.js";
import {
  type DeletedSegment,
  forgetDeletedSegment,
  listDeletedSegments,
  listSegments,
  markEvaluated,
  type Segment,
} from "../storage/postgres/segments.js";
import { evaluateEverybody, followMoves } from "./evaluate.js";
import { type Cause, finishMoves, type MoveOptions, makeMoves } from "./make-moves.js";

/** Segments that time alone can change are looked at this often: a window is left well within a minute. */
export const SWEEP_SECONDS = 20;

// A page is one change, and its events one insert. Time moves few at once, so that one page is mostly all; a segment
// that a million users enter takes a hundred, between which other work of the organization goes on.
const MOVED_PER_STEP = 10_000;

/** Segments that everybody is being looked at for, and how far that has come. */
interface Round {
  segments: readonly Segment[];
  after: string | undefined;
}

/**
 * Makes segments true that no record will: those created or edited since, those that time has moved, and those deleted,
 * whose members leave. Runs in the project stage, so that nothing else evaluates the organization meanwhile. Where a
 * round has come is kept in memory only: begun again, it finds what is left.
 */
export class Sweeper {
  readonly #options: MoveOptions;
  readonly #rounds = new Map<string, Round>();

  constructor(options: MoveOptions) {
    this.#options = options;
  }

  /** Moves a page of users or accounts; false when nothing is due. */
  async step(organizationId: string): Promise<boolean> {
    const { database } = this.#options;
    const { sequence, positions } = await readProjectCursor(database, organizationId);
    const cause: Cause = { sequence: undefined, lane: "l", position: positions.l ?? 0 };
    await finishMoves(this.#options, organizationId, sequence);
    const [deleted] = await listDeletedSegments(database, organizationId);
    if (deleted) {
      await this.#empty(organizationId, deleted, cause);
      return true;
    }
    const round = this.#rounds.get(organizationId) ?? (await this.#nextRound(organizationId));
    if (!round) return false;
    const page = { after: round.after, limit: MOVED_PER_STEP };
    const after = await evaluateEverybody(this.#options, organizationId, round.segments, page, cause);
    if (after === undefined) {
      await markEvaluated(database, organizationId, round.segments);
      this.#rounds.delete(organizationId);
    } else this.#rounds.set(organizationId, { ...round, after });
    return true;
  }

  async #nextRound(organizationId: string): Promise<Round | undefined> {
    const segments = await listSegments(this.#options.database, organizationId);
    const due = segments.filter((segment) => isDue(segment, Date.now()));
    const [first] = ["account", "user"]
      .map((entity) => due.filter((segment) => segment.entity === entity))
      .filter((of) => of.length > 0);
    return first && { segments: first, after: undefined };
  }

  async #empty(organizationId: string, { id, name, entity }: DeletedSegment, cause: Cause): Promise<void> {
    const { database, clickhouse } = this.#options;
    const left = await membersOf(clickhouse, organizationId, id, MOVED_PER_STEP);
    if (left.length === 0) {
      await forgetDeletedSegment(database, organizationId, id);
      return;
    }
    const move = { segmentId: id, segmentName: name, entity, entered: [], left };
    await makeMoves(this.#options, organizationId, [move], cause);
    await followMoves(this.#options, organizationId, entity, left, cause);
  }
}

function isDue({ revision, evaluatedRevision, changesWithTime, evaluatedAt }: Segment, now: number): boolean {
  if (evaluatedRevision < revision) return true;
  return changesWithTime && now - (evaluatedAt?.getTime() ?? 0) >= SWEEP_SECONDS * 1_000;
}
