import {
  type GenerationCursor,
  type ProjectCursor,
  readNextChanges,
  saveComputedUntil,
} from "../../storage/postgres/changes/changes.js";
import { readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { LeaseLost } from "../../storage/postgres/leases/lease-lost.js";
import { FittingSizes } from "../buffers/fitting-sizes.js";
import { askPage, type ComputeOptions, type WriteAnswer } from "./compute.js";
import { type DuePage, DueSubjects } from "./due-subjects.js";
import { type LoadedComputations, loadComputations } from "./loaded-computations.js";
import { type ChangesWithReports, type NoteTouchedOptions, noteTouched } from "./note-touched.js";
import { PatientQuestions } from "./patient-questions.js";
import { causeAt } from "./write-values.js";

/**
 * How often the subjects of an organization that have changed are computed. A statement costs as much for one of them as for
 * hundreds, and a subject that changes often is written once. A round that was slow is followed by a longer pause, so that
 * computing takes at most this share of the relay's time, unless that would make values older than the longest pause.
 */
const PACE = { leastMs: 2_000, mostMs: 10_000, share: 0.05 };

// So many subjects take about 20 MB. When more are due, nothing waits for the pace, and others are noted later.
const MOST_DUE = 50_000;

// A page is one change, or few. Other micro-batches wait while it is written. Beside a micro-batch of 4,000 users it fits into the
// change buffer; with larger pages, the relay had to read all of them back from the database.
const PAGE = { first: 1_000, most: 2_000, least: 100 };

const LIMITS = { changes: 16, bytes: 2 * 1024 * 1024 };

/** The subjects of one organization that are due. */
interface Waiting {
  /** The changes up to this one are noted. */
  notedUntil: number;
  /** The values follow from the changes up to this one. */
  computedUntil: number;
  /** Subjects that have changed since the present round began. */
  next: DueSubjects;
  /** The subjects that are being computed, and the change that the question engine had when the round began. */
  round: { left: DueSubjects; until: number } | undefined;
  /** When the last round ended, and how long it took. */
  endedAt: number;
  tookMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** The values of a page. */
interface AskedPage {
  page: DuePage;
  begunAt: number;
  /** Undefined when nothing is computed any more. */
  write: WriteAnswer | undefined;
}

export interface DueValuesOptions {
  /** Is called when values have become due, and when the question engine has answered. */
  onDue(organizationId: string): void;
  /** How many subjects of an organization are noted at once, with those of the last change. Default: 50,000. */
  mostDue?: number;
}

/**
 * The compute stage. Changes note the subjects that they touch. Soon after, the noted subjects are computed together, page by
 * page between the steps of the relay: at once after a quiet time, and else at a pace. What is noted is in memory. The relay does
 * not wait when there is no room: what it goes on with is noted later, from the change log. The cursor says up to which change
 * everything is computed, so a process that takes over notes the changes after it once more.
 * Organizations without computed attributes cost nothing here.
 */
export class DueValues {
  readonly #options: DueValuesOptions;
  readonly #mostDue: number;
  readonly #waiting = new Map<string, Waiting>();
  readonly #pageSizes = new FittingSizes(PAGE);
  readonly #questions: PatientQuestions<AskedPage>;

  constructor(options: DueValuesOptions) {
    this.#options = options;
    this.#mostDue = options.mostDue ?? MOST_DUE;
    this.#questions = new PatientQuestions({ onAnswered: options.onDue });
  }

  /** Forgets what is noted, when another process may have had the organization. */
  forget(organizationId: string): void {
    this.#waiting.delete(organizationId);
    this.forgetAnswer(organizationId);
  }

  /** Makes the next steps ask again for the page that was asked for, when the answer may lack something. */
  forgetAnswer(organizationId: string): void {
    this.#questions.forget(organizationId);
  }

  /** Whether values were asked for that are not written yet. */
  isAsking(organizationId: string): boolean {
    return this.#questions.isAsking(organizationId);
  }

  /** Whether the noted subjects of an organization are being computed, which takes several pages. */
  isComputing(organizationId: string): boolean {
    return this.#waiting.get(organizationId)?.round !== undefined;
  }

  /**
   * Notes the next changes that were relayed and not noted: another process has relayed them, or there was no room. False when
   * there are none, or no room.
   */
  async recover(options: NoteTouchedOptions, organizationId: string, cursor: GenerationCursor): Promise<boolean> {
    const { sequence, computedUntil } = cursor;
    const known = this.#waiting.get(organizationId);
    const notedUntil = known?.notedUntil ?? computedUntil;
    if (notedUntil >= sequence || (known && this.#isFull(known))) return false;
    const { database } = options;
    const computations = await loadComputations(
      database,
      organizationId,
      await readRevisions(database, organizationId),
    );
    if (!computations) {
      this.forget(organizationId);
      await this.#save(options, organizationId, cursor, sequence);
      return false;
    }
    const waiting = known ?? this.#begin(organizationId, computedUntil);
    const changes = (await readNextChanges(database, organizationId, notedUntil, LIMITS)).filter(
      (change) => change.sequence <= sequence,
    );
    await noteTouched(options, organizationId, computations, { changes, reports: new Map() }, waiting.next);
    waiting.notedUntil = changes.at(-1)?.sequence ?? sequence;
    if (waiting.notedUntil === sequence && waiting.next.size === 0 && !waiting.round) {
      waiting.computedUntil = sequence;
      await this.#save(options, organizationId, cursor, sequence);
    }
    return true;
  }

  /** Notes whom the next changes have touched. Returns up to which change everything is computed when they are relayed. */
  async note(
    options: NoteTouchedOptions,
    organizationId: string,
    computations: LoadedComputations | undefined,
    { changes, reports }: ChangesWithReports,
  ): Promise<number> {
    const [first] = changes;
    const until = changes.at(-1)?.sequence ?? 0;
    if (!computations || !first) {
      this.forget(organizationId);
      return until;
    }
    const waiting = this.#waiting.get(organizationId) ?? this.#begin(organizationId, first.sequence - 1);
    // Changes are noted in their order, so that the cursor can say how far. The next steps follow from the change log.
    const isBehind = waiting.notedUntil < first.sequence - 1;
    if (isBehind || this.#isFull(waiting)) return waiting.computedUntil;
    await noteTouched(options, organizationId, computations, { changes, reports }, waiting.next);
    waiting.notedUntil = until;
    if (waiting.next.size === 0 && !waiting.round) waiting.computedUntil = until;
    else this.#wakeLater(organizationId, waiting);
    return waiting.computedUntil;
  }

  /** Computes the next page of subjects, or goes on without a slow answer. False when there is nothing to do now. */
  async step(options: ComputeOptions, organizationId: string, cursor: ProjectCursor): Promise<boolean> {
    const waiting = this.#waiting.get(organizationId);
    if (!waiting) return false;
    if (!waiting.round) {
      if (waiting.next.size === 0 || this.#pauseMs(waiting) > 0) return false;
      waiting.round = { left: waiting.next, until: Math.min(cursor.sequence, waiting.notedUntil) };
      waiting.next = new DueSubjects();
      waiting.tookMs = 0;
    }
    const { round } = waiting;
    const isNew = !this.#questions.isAsking(organizationId);
    // The step that follows takes what apply has put there. Until the round ends, apply leaves room for a page.
    if (isNew && options.changeBuffer.isFull(organizationId)) return true;
    const size = this.#pageSizes.of(organizationId);
    const asked = await this.#questions.ask(organizationId, () => ask(options, organizationId, round.left.first(size)));
    if (!asked) return isNew;
    const { page, begunAt, write } = asked;
    try {
      const bytes = await write?.(options, causeAt(cursor));
      if (bytes !== undefined) this.#pageSizes.note(organizationId, page.due.size, bytes);
    } catch (error) {
      if (!(error instanceof LeaseLost)) this.#pageSizes.failed(organizationId);
      throw error;
    }
    round.left.remove(page.due.keys());
    waiting.tookMs += performance.now() - begunAt;
    if (round.left.size > 0) return true;
    waiting.round = undefined;
    waiting.endedAt = Date.now();
    const isLast = waiting.next.size === 0;
    waiting.computedUntil = isLast ? Math.min(cursor.sequence, waiting.notedUntil) : round.until;
    await this.#save(options, organizationId, cursor, waiting.computedUntil);
    if (!isLast) this.#wakeLater(organizationId, waiting);
    return true;
  }

  #begin(organizationId: string, computedUntil: number): Waiting {
    const waiting: Waiting = {
      notedUntil: computedUntil,
      computedUntil,
      next: new DueSubjects(),
      round: undefined,
      endedAt: 0,
      tookMs: 0,
      timer: undefined,
    };
    this.#waiting.set(organizationId, waiting);
    return waiting;
  }

  async #save(
    { database, lease }: NoteTouchedOptions,
    organizationId: string,
    cursor: ProjectCursor,
    computedUntil: number,
  ): Promise<void> {
    await database.transaction(async (tx) => {
      await lease.confirm(tx);
      await saveComputedUntil(tx, organizationId, cursor, computedUntil);
    });
  }

  #wakeLater(organizationId: string, waiting: Waiting): void {
    const ms = this.#pauseMs(waiting);
    // A step follows anyway.
    if (ms === 0) return;
    waiting.timer ??= setTimeout(() => {
      waiting.timer = undefined;
      this.#options.onDue(organizationId);
    }, ms).unref();
  }

  /** Whether so many subjects are due that others are noted after them. */
  #isFull({ next }: Waiting): boolean {
    return next.size >= this.#mostDue;
  }

  #pauseMs(waiting: Waiting): number {
    if (this.#isFull(waiting)) return 0;
    const { endedAt, tookMs } = waiting;
    const pause = Math.min(PACE.mostMs, Math.max(PACE.leastMs, tookMs / PACE.share - tookMs));
    const left = endedAt + pause - Date.now();
    // A time in the future was noted while a clock was ahead.
    return left > PACE.mostMs ? 0 : Math.max(0, left);
  }
}

async function ask(options: ComputeOptions, organizationId: string, page: DuePage): Promise<AskedPage> {
  const begunAt = performance.now();
  const { database } = options;
  const revisions = await readRevisions(database, organizationId);
  const computations = await loadComputations(database, organizationId, revisions);
  const write = computations && (await askPage(options, organizationId, computations, page));
  return { page, begunAt, write };
}
