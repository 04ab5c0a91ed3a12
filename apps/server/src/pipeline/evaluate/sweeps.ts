import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { loadSegments } from "../../audience/segments/known-segments.js";
import { LANE } from "../../domain/entries/lanes.js";
import type { ProjectCursor } from "../../storage/postgres/changes/changes.js";
import {
  type DeletedSegment,
  forgetDeletedSegment,
  listDeletedSegments,
} from "../../storage/postgres/segments/deleted-segments.js";
import { type DueSegment, listDueSegments, markEvaluated } from "../../storage/postgres/segments/segments.js";
import type { SubjectMoves } from "../../storage/questions/memberships.js";
import { type AskedSegments, askSegments } from "./ask-segments.js";
import { noteBroken } from "./broken-segments.js";
import { followMoves } from "./evaluate.js";
import { groupBySegment } from "./find-moves.js";
import { type ParsedSegment, toSegmentQuery } from "./parsed-segment.js";
import { type EvaluateOptions, type EvaluationCause, recordMoves } from "./record-moves.js";

/** Those that change with time are evaluated often enough for a member to leave within a minute. */
export const SWEEP_PERIODS = { sweepSeconds: 20, retrySeconds: 60 };

// What the engine is asked at once. One that cannot be evaluated is asked about alone.
const SEGMENTS_PER_SCAN = { edited: 30, requested: 30, time: 250, broken: 1 } as const;
// A scan costs as much for one subject as for all, so it brings many: up to 30 MB.
const MOVED_PER_SCAN = 100_000;
// The moves that one step records are one change. Records and messages wait meanwhile.
const MOVED_PER_STEP = 4_000;
const MAX_TOUCHED = 500_000;

export interface SweepsOptions {
  /** Is called when a question is answered, so that a next step can go on. */
  onAnswered(organizationId: string): void;
}

/** A question about segments, and its answer. */
interface Sweep {
  segments: readonly DueSegment[];
  /** The time that the question is about. */
  now: Date;
  /** Those whom the relay has evaluated since: the answer about them may be out of date. */
  touched: Set<string>;
  /** Undefined until the engine has answered. */
  answer: AskedSegments | Error | undefined;
  /** How long the engine took. */
  tookMs: number;
}

/**
 * Re-evaluates segments whose result changes without any new record: created and edited ones, ones that depend on the
 * time, and deleted ones, whose members leave.
 *
 * The engine is asked beside the steps of the relay, so that a slow segment delays no record. What it answers is recorded
 * by steps of the relay, because nothing else may evaluate segments of the organization at the same time. A subject that
 * the relay has evaluated in between is asked about again. Nothing is lost when the process ends: a segment stays due
 * until all that it moves is recorded.
 */
export class Sweeps {
  readonly #options: SweepsOptions;
  readonly #requested = new Set<string>();
  readonly #sweeps = new Map<string, Sweep>();

  constructor(options: SweepsOptions) {
    this.#options = options;
  }

  /** Makes the next steps look for segments of an organization that are due. */
  request(organizationId: string): void {
    this.#requested.add(organizationId);
  }

  /** Must be called with all whom the relay evaluates. */
  noteTouched(organizationId: string, ids: Iterable<string>): void {
    const sweep = this.#sweeps.get(organizationId);
    if (sweep) for (const id of ids) if (sweep.touched.size < MAX_TOUCHED) sweep.touched.add(id);
  }

  /** Forgets what is under way, when another process may have had the organization, or the answer may lack something. */
  forget(organizationId: string): void {
    if (this.#sweeps.delete(organizationId)) this.request(organizationId);
  }

  /** Does the next piece of work, and does not wait for the engine to scan. False when there is nothing to do now. */
  async step(options: EvaluateOptions, organizationId: string, { positions }: ProjectCursor): Promise<boolean> {
    const cause = { sequence: undefined, lane: LANE.live, position: positions[LANE.live] ?? 0 };
    const sweep = this.#sweeps.get(organizationId);
    if (sweep?.answer) return this.#record(options, organizationId, sweep, cause);
    // Deleted before the look, because a request that arrives meanwhile asks for another look.
    if (!this.#requested.delete(organizationId)) return false;
    try {
      const [deleted] = await listDeletedSegments(options.database, organizationId);
      if (deleted) {
        await emptySegment(options, organizationId, deleted, cause);
        this.request(organizationId);
        return true;
      }
      if (!sweep) await this.#begin(options, organizationId);
      return false;
    } catch (error) {
      this.request(organizationId);
      throw error;
    }
  }

  async #begin(options: EvaluateOptions, organizationId: string): Promise<void> {
    const limit = SEGMENTS_PER_SCAN.time;
    const due = await listDueSegments(options.database, organizationId, new Date(), SWEEP_PERIODS, limit);
    const [first] = due;
    if (!first) return;
    const alike = due.filter(({ reason, subjectType }) => reason === first.reason && subjectType === first.subjectType);
    this.#ask(options, organizationId, alike.slice(0, SEGMENTS_PER_SCAN[first.reason]));
  }

  #ask(options: EvaluateOptions, organizationId: string, segments: readonly DueSegment[]): void {
    const begunAt = performance.now();
    const sweep: Sweep = { segments, now: new Date(), touched: new Set(), answer: undefined, tookMs: 0 };
    this.#sweeps.set(organizationId, sweep);
    askSegments(options, organizationId, segments, { now: sweep.now, limit: MOVED_PER_SCAN })
      .then(
        (answer) => {
          sweep.answer = answer;
        },
        (error: unknown) => {
          sweep.answer = error instanceof Error ? error : new Error(String(error));
        },
      )
      .finally(() => {
        sweep.tookMs = performance.now() - begunAt;
        this.#options.onAnswered(organizationId);
      });
  }

  /** Records the next part of an answer. */
  async #record(
    options: EvaluateOptions,
    organizationId: string,
    sweep: Sweep,
    cause: EvaluationCause,
  ): Promise<boolean> {
    const { answer } = sweep;
    // It is asked again after an error, also of a part that is not recorded yet.
    this.#sweeps.delete(organizationId);
    if (!answer || answer instanceof Error) {
      this.request(organizationId);
      throw answer;
    }
    try {
      await noteBroken(options, organizationId, answer.broken.splice(0));
      const part = answer.moves.splice(0, MOVED_PER_STEP);
      await recordPart(options, organizationId, sweep, answer, part, cause);
      if (answer.moves.length > 0) {
        this.#sweeps.set(organizationId, sweep);
        return true;
      }
      // More must move. The segments are still due, and are read again, because they may have been edited or deleted.
      if (answer.isComplete) await this.#complete(options, organizationId, sweep, answer);
      else this.request(organizationId);
      return true;
    } catch (error) {
      this.request(organizationId);
      throw error;
    }
  }

  async #complete(
    { database, lease }: EvaluateOptions,
    organizationId: string,
    { now, touched, tookMs }: Sweep,
    { parsed }: AskedSegments,
  ): Promise<void> {
    await database.transaction(async (tx) => {
      await lease.confirm(tx);
      await markEvaluated(
        tx,
        organizationId,
        parsed.map(({ segment }) => segment),
        now,
      );
    });
    // Others may be due. While records arrive, sweeps have at most half of the time.
    const ask = () => {
      this.request(organizationId);
      this.#options.onAnswered(organizationId);
    };
    if (touched.size === 0) ask();
    else setTimeout(ask, tookMs).unref();
  }
}

async function recordPart(
  options: EvaluateOptions,
  organizationId: string,
  { segments, touched }: Sweep,
  asked: AskedSegments,
  found: readonly SubjectMoves[],
  cause: EvaluationCause,
): Promise<void> {
  const subjectType = segments[0]?.subjectType ?? "user";
  const parsed = await stillThere(options, organizationId, asked.parsed);
  const isDoubtful = ({ id }: SubjectMoves) => touched.size >= MAX_TOUCHED || touched.has(id);
  const doubtful = found.filter(isDoubtful);
  const doubted = new Set(doubtful.flatMap(({ entered, left }) => [...entered, ...left]));
  const again =
    doubtful.length === 0
      ? []
      : await options.questions.changesOf(
          organizationId,
          parsed.filter(({ segment }) => doubted.has(segment.id)).map(toSegmentQuery),
          doubtful.map(({ id }) => id),
          {
            target: subjectType,
            attributeTypes: await loadAttributeTypes(options.database, organizationId),
            now: new Date(),
          },
        );
  const certain = [...found.filter((moves) => !isDoubtful(moves)), ...again];
  const isNew = new Set(segments.filter(({ evaluatedRevision }) => evaluatedRevision === 0).map(({ id }) => id));
  const moves = groupBySegment(parsed, subjectType, certain, new Set()).map((move) =>
    isNew.has(move.segmentId) ? { ...move, isFirst: true as const } : move,
  );
  if (moves.length === 0) return;
  await recordMoves(options, organizationId, moves, cause);
  await followMoves(options, organizationId, moves, cause);
}

/** Those of the segments that were not edited or deleted while the engine was asked. */
async function stillThere(
  { database }: EvaluateOptions,
  organizationId: string,
  parsed: readonly ParsedSegment[],
): Promise<ParsedSegment[]> {
  const present = new Map((await loadSegments(database, organizationId)).map(({ id, revision }) => [id, revision]));
  return parsed.filter(({ segment }) => present.get(segment.id) === segment.revision);
}

/** Lets members of a deleted segment leave, and forgets the segment once it is empty. */
async function emptySegment(
  options: EvaluateOptions,
  organizationId: string,
  { id, name, subjectType }: DeletedSegment,
  cause: EvaluationCause,
): Promise<void> {
  const { database, questions, lease } = options;
  const left = await questions.membersAfter(organizationId, id, "", MOVED_PER_STEP);
  if (left.length === 0) {
    await database.transaction(async (tx) => {
      await lease.confirm(tx);
      await forgetDeletedSegment(tx, organizationId, id);
    });
    return;
  }
  const moves = [{ segmentId: id, segmentName: name, subjectType, entered: [], left }];
  await recordMoves(options, organizationId, moves, cause);
  await followMoves(options, organizationId, moves, cause);
}
