import type { Logger } from "pino";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import {
  type LoggedChange,
  openProjectCursor,
  type ProjectCursor,
  readChangeHead,
  saveProjectCursor,
} from "../storage/postgres/changes/changes.js";
import { readRelayBasis } from "../storage/postgres/changes/relay-basis.js";
import type { Database } from "../storage/postgres/database.js";
import { readRevisions } from "../storage/postgres/definitions/revisions.js";
import type { NotifyCursor } from "../storage/postgres/delivery/outbox.js";
import type { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import type { WorkLease } from "../storage/postgres/leases/work-lease.js";
import type { Questions } from "../storage/questions/questions.js";
import { Applier, type ApplierOptions } from "./apply/applier.js";
import type { ApplyOptions } from "./apply/apply.js";
import type { ApplyRules } from "./apply/apply-rules.js";
import { BatchBuffer, type BufferedPart } from "./buffers/batch-buffer.js";
import { ChangeBuffer } from "./buffers/change-buffer.js";
import { DueValues, type DueValuesOptions } from "./compute/due-values.js";
import { Fills } from "./compute/fills.js";
import { loadComputations } from "./compute/loaded-computations.js";
import { evaluateChanges } from "./evaluate/evaluate.js";
import { loadParsedSegments } from "./evaluate/loaded-segments.js";
import { MovesAhead } from "./evaluate/moves-ahead.js";
import { Sweeps } from "./evaluate/sweeps.js";
import { type NotifyOptions, notifyChanges } from "./notify/notify.js";
import { ShownStates } from "./notify/shown-states.js";
import { CatchUp } from "./project/catch-up.js";
import { projectChanges } from "./project/project.js";
import { noteLags } from "./relay/note-lags.js";
import { takeChanges } from "./relay/take-changes.js";
import type { StepResult } from "./step-result.js";

export interface JourneyOptions extends Pick<ApplierOptions, "isWatched" | "onRejected"> {
  database: Database;
  log: Pick<IngestionLog, "knownHeads" | "read">;
  questions: Questions;
  metrics: Metrics;
  lags: Pick<LagRecorder, "add">;
  logger: Logger;
  apply: Pick<ApplyOptions, "rules" | "bulkEvery" | "maxRelinkedUsers">;
  compute?: Pick<DueValuesOptions, "mostDue">;
  notify: Pick<NotifyOptions, "directory" | "onQueued">;
  /** Makes the relay of an organization take a step soon. */
  wakeRelay(organizationId: string): void;
}

/**
 * The journey of a record: accept → apply → project → compute and evaluate → notify.
 *
 * Accept (accept/intake.ts) checks each entry, appends the batch to the ingestion log and answers. The methods here are
 * what happens next, in this order. Apply and relay each go on from a cursor, so they may stop, restart, or run in another
 * process. From notify on, deliveries/ has the messages.
 */
export class Journey {
  readonly #batchBuffer = new BatchBuffer();
  readonly #applier: Applier;
  readonly #relay: RelayOptions;
  readonly #catchUp: CatchUp;
  readonly #sweeps: Sweeps;
  readonly #fills: Fills;
  readonly #dueValues: DueValues;

  constructor({
    database,
    log,
    questions,
    metrics,
    lags,
    logger,
    apply,
    compute,
    notify,
    wakeRelay,
    ...watching
  }: JourneyOptions) {
    const { maxAttributes } = apply.rules;
    const changeBuffer = new ChangeBuffer();
    const applying = { database, log, metrics, ...apply, batchBuffer: this.#batchBuffer };
    const notifying = { database, questions, maxAttributes, shown: new ShownStates(), ...notify };
    const sweeps = new Sweeps({ onAnswered: wakeRelay });
    this.#sweeps = sweeps;
    this.#fills = new Fills({ onAnswered: wakeRelay });
    const dueValues = new DueValues({ ...compute, onDue: wakeRelay });
    this.#dueValues = dueValues;
    const isComputing = (organizationId: string) => dueValues.isComputing(organizationId);
    this.#applier = new Applier({ apply: applying, metrics, lags, logger, changeBuffer, isComputing, ...watching });
    const movesAhead = new MovesAhead();
    const projecting = { database, questions, maxAttributes, changeBuffer, movesAhead };
    this.#relay = { ...projecting, rules: apply.rules, metrics, sweeps, dueValues, lags, notify: notifying, logger };
    this.#catchUp = new CatchUp(this.#relay);
  }

  /** Begins to keep accepted batches in memory. A process that applies nothing must not, because they would stay there. */
  open(): void {
    this.#batchBuffer.open();
  }

  /** Takes batches from accept, which are durable now. */
  accepted(organizationId: string, parts: readonly BufferedPart[]): void {
    this.#batchBuffer.put(organizationId, parts);
  }

  /** Changes users and accounts by the next micro-batch, and appends to the change log, in one transaction. */
  apply(organizationId: string, lease: WorkLease): Promise<StepResult> {
    return this.#applier.step(organizationId, lease);
  }

  /**
   * Relays the next changes: project, evaluate, notify. Before that it brings a question engine up to date that lacks
   * something, computes the attributes of subjects that earlier changes have touched, and re-evaluates segments that were
   * edited or that change with time.
   */
  async relay(organizationId: string, lease: WorkLease): Promise<StepResult> {
    const options = { ...this.#relay, lease };
    try {
      const basis = await readRelayBasis(options.database, organizationId);
      // New rows would be left behind when the rest of the organization is removed.
      if (!basis || basis.isDeleted) return "idle";
      const cursor = basis.cursor ?? (await openProjectCursor(options.database, organizationId));
      if (await this.#catchUp.step(organizationId, cursor, lease)) {
        // The question engine may have been asked while it was being filled.
        this.#sweeps.forget(organizationId);
        this.#fills.forgetAnswer(organizationId);
        options.dueValues.forgetAnswer(organizationId);
        return "worked";
      }
      await options.movesAhead.complete(options, organizationId, cursor.sequence, basis.notified);
      const hasNoted = await options.dueValues.recover(options, organizationId, cursor);
      // Only one of the two asks at a time: whom the changes touch meanwhile is computed after the answer is written.
      const isFilling = this.#fills.isAsking(organizationId);
      const hasComputed = isFilling ? false : await options.dueValues.step(options, organizationId, cursor);
      const hasSwept = await this.#sweeps.step(options, organizationId, cursor);
      // A filling writes beside the relay, as apply does.
      const isComputing = options.dueValues.isAsking(organizationId);
      const filling = isComputing ? NO_FILLING : await this.#fills.begin(options, organizationId, cursor);
      const [filled, relayed] = await Promise.allSettled([
        filling.done,
        relayNext(options, organizationId, { ...basis, cursor }, this.#catchUp),
      ]);
      if (relayed.status === "rejected") throw relayed.reason;
      if (filled.status === "rejected") throw filled.reason;
      return relayed.value || filled.value || hasNoted || hasComputed || hasSwept ? "worked" : "idle";
    } catch (error) {
      // It is unknown how much of the step the question engine has written.
      this.#catchUp.checkAgain(organizationId);
      options.movesAhead.forget(organizationId);
      throw error;
    }
  }

  /** Makes the next relay check whether the question engine of an organization is up to date. */
  requestCatchUp(organizationId: string): void {
    this.#catchUp.checkAgain(organizationId);
  }

  /** Makes the next relays sweep the segments, and compute the attributes, of an organization that are due. */
  requestSweep(organizationId: string): void {
    this.#sweeps.request(organizationId);
    this.#fills.request(organizationId);
  }

  /** Must be called when another process has had the lease: what is known here about the question engine is outdated. */
  async forget(organizationId: string): Promise<void> {
    const { changeBuffer, movesAhead, database } = this.#relay;
    this.#catchUp.checkAgain(organizationId);
    movesAhead.forget(organizationId);
    this.#sweeps.forget(organizationId);
    this.#fills.forget(organizationId);
    this.#dueValues.forget(organizationId);
    changeBuffer.clear(organizationId, await readChangeHead(database, organizationId));
  }
}

const NO_FILLING = { done: Promise.resolve(false) };

interface RelayOptions {
  database: Database;
  questions: Questions;
  rules: ApplyRules;
  metrics: Metrics;
  maxAttributes: number;
  /** Where the next changes may be, besides the change log. */
  changeBuffer: ChangeBuffer;
  movesAhead: MovesAhead;
  sweeps: Pick<Sweeps, "noteTouched" | "request">;
  dueValues: DueValues;
  lags: Pick<LagRecorder, "add">;
  notify: NotifyOptions;
  logger: Logger;
}

/** What a step of one organization needs. */
interface RelayStepOptions extends RelayOptions {
  /** The lease of this process on the work of the organization. */
  lease: WorkLease;
}

/** Where a step begins. */
interface RelayBegin {
  cursor: ProjectCursor;
  notified: NotifyCursor;
}

/**
 * Takes the next changes of an organization through project, evaluate and notify, notes whom to compute, and then advances
 * the cursor. Each of them recognises what it has done before, so that a step may be repeated after a crash. Evaluate and notify do not
 * wait for the question engine: while it writes, messages are queued, and segments are evaluated as far as reports answer
 * them. False when no change waits.
 */
async function relayNext(
  options: RelayStepOptions,
  organizationId: string,
  { cursor, notified }: RelayBegin,
  catchUp: Pick<CatchUp, "completeAt" | "checkAgain">,
): Promise<boolean> {
  const { database, lease, movesAhead } = options;
  const changes = await takeChanges(options, organizationId, cursor.sequence);
  const last = changes.at(-1);
  if (!last) return false;
  // Read after the changes are taken, so that all attributes in the changes are defined. A segment that is created or
  // edited from here on is swept later.
  const revisions = await readRevisions(database, organizationId);
  const segments = loadParsedSegments(database, organizationId, revisions);
  // Its error is thrown where the segments are needed.
  segments.catch(() => undefined);
  const computations = await loadComputations(database, organizationId, revisions);

  const { written, reports } = await projectChanges(options, organizationId, changes, { revisions, catchUp });
  const evaluateAndNotify = async () => {
    await evaluateChanges(options, organizationId, { changes, reports, segments, written });
    // Also those that were recorded before, so that connectors get the moves of a subject in their order.
    const evaluations = movesAhead.untoldAfter(organizationId, last.sequence);
    await notifyChanges(options.notify, organizationId, lease, { changes, evaluations, notified, revisions });
    movesAhead.noteTold(organizationId);
  };
  const noted = options.dueValues.note(options, organizationId, computations, { changes, reports });
  // Waits for all even if one fails, because the next step must not overlap with this one.
  const ends = await Promise.allSettled([written, noted, evaluateAndNotify()]);
  for (const end of ends) if (end.status === "rejected") throw end.reason;

  const after = { ...advance(cursor, changes), computedUntil: await noted };
  await database.transaction((tx) =>
    Promise.all([lease.confirm(tx), saveProjectCursor(tx, organizationId, cursor, after)]),
  );
  await noteLags(options, organizationId, changes);
  return true;
}

function advance(cursor: ProjectCursor, changes: readonly LoggedChange[]): ProjectCursor {
  const positions = { ...cursor.positions };
  // A change that evaluation has made carries the position of its cause, and later changes may have gone beyond that.
  for (const { lane, position } of changes) positions[lane] = Math.max(positions[lane] ?? 0, position);
  return { sequence: changes.at(-1)?.sequence ?? cursor.sequence, positions };
}
