import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import { NO_CHANGE } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import { subjectsOf } from "../../domain/erasure/forget-subjects.js";
import {
  firstSequence,
  type GenerationCursor,
  type LoggedChange,
  readChangeHead,
  readNextChanges,
} from "../../storage/postgres/changes/changes.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import { finishRebuild, renewGeneration } from "../../storage/postgres/changes/rebuilds.js";
import type { Database } from "../../storage/postgres/database.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import { pageProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { DocumentProgress, Progress } from "../../storage/questions/projection.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { ChangeBuffer } from "../buffers/change-buffer.js";
import { StandsStill } from "../stands-still.js";
import { forgetErased } from "./forget-erased.js";
import { formerDocuments, loadTypes, prepareChanges } from "./prepare-changes.js";

export interface CatchUpOptions {
  database: Database;
  questions: Questions;
  maxAttributes: number;
  changeBuffer: ChangeBuffer;
  /** Forgets which moves between segments the question engine has. */
  movesAhead: { forget(organizationId: string): void };
  logger: Logger;
}

// A page of documents is some megabytes; a restart repeats at most one.
const DOCUMENTS_PER_STEP = 4_096;
const LIMITS = { changes: 16, bytes: 4 * 1024 * 1024 };

/**
 * Brings the question engine up to the project cursor when it holds less: because its data was lost or is
 * older, because it belongs to another generation, or because a rebuild was requested. Users and accounts are written
 * as they are now, then the change log is replayed. Replayed changes were evaluated and notified when they were made,
 * so they move nobody between segments and no connector is notified. Catching up comes before all other work of the
 * relay.
 */
export class CatchUp {
  readonly #options: CatchUpOptions;
  /** Organizations whose question engine is known to be up to date, with the last change in the log at that time. */
  readonly #upToDate = new Map<string, number>();

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** Makes the next step check the question engine of an organization again, because it may have been replaced. */
  checkAgain(organizationId: string): void {
    this.#upToDate.delete(organizationId);
  }

  /** The last change in the log when the question engine of an organization was found to be up to date. */
  completeAt(organizationId: string): number | undefined {
    return this.#upToDate.get(organizationId);
  }

  /** Does the next piece of work; false when the question engine is up to date. */
  async step(organizationId: string, cursor: GenerationCursor, lease: WorkLease): Promise<boolean> {
    const { questions } = this.#options;
    const progress = await questions.progress(organizationId);
    if (progress.generation !== cursor.generation) await this.#begin(organizationId, cursor.generation);
    else if (progress.documents) await this.#writeDocuments(organizationId, progress, progress.documents, cursor);
    else if (progress.sequence < cursor.sequence) await this.#replay(organizationId, progress, cursor.sequence);
    else return this.#confirm(organizationId, progress, lease);
    if (isDeepStrictEqual(progress, await questions.progress(organizationId))) {
      throw new StandsStill("The question engine was to be brought up to date, and its progress has not changed.");
    }
    return true;
  }

  /** Notes that the question engine is up to date, or begins a new generation when it has more than the change log. */
  async #confirm(organizationId: string, progress: Progress, lease: WorkLease): Promise<boolean> {
    const { database } = this.#options;
    if (this.#upToDate.has(organizationId)) return false;
    const head = await readChangeHead(database, organizationId);
    if (progress.sequence > head) {
      // PostgreSQL was restored to an earlier state, so the question engine holds changes that no log has any more.
      await database.transaction(async (tx) => {
        await lease.confirm(tx);
        await renewGeneration(tx, organizationId);
      });
      return true;
    }
    await database.transaction(async (tx) => {
      await lease.confirm(tx);
      await finishRebuild(tx, organizationId);
    });
    this.#upToDate.set(organizationId, head);
    return false;
  }

  async #begin(organizationId: string, generation: string): Promise<void> {
    const { database, questions, changeBuffer, movesAhead, logger } = this.#options;
    this.checkAgain(organizationId);
    movesAhead.forget(organizationId);
    changeBuffer.clear(organizationId, await readChangeHead(database, organizationId));
    await questions.begin(organizationId, generation);
    logger.info({ organizationId }, "the question engine is filled anew");
  }

  /** Writes the next page of documents: first accounts, then users. */
  async #writeDocuments(
    organizationId: string,
    { documentCount }: Progress,
    { kind, afterId }: DocumentProgress,
    cursor: GenerationCursor,
  ): Promise<void> {
    const { database, questions, maxAttributes, logger } = this.#options;
    const profiles = await pageProfiles(database, kind, organizationId, afterId, DOCUMENTS_PER_STEP);
    const last = profiles.at(-1);
    if (last) {
      const page = await formerDocuments(database, organizationId, profiles);
      const types = await loadTypes(database, organizationId, maxAttributes);
      await questions.writeDocuments(organizationId, page, { kind, afterId: last.profile.id }, types);
      const documents = documentCount + page.length;
      logger.info({ organizationId, documents }, "the question engine is filled with documents");
    } else if (kind === "account") {
      await questions.writeDocuments(organizationId, [], { kind: "user", afterId: "" }, () => undefined);
    } else {
      await questions.endDocuments(organizationId, cursor.sequence);
    }
  }

  async #replay(organizationId: string, { sequence, documentsUntil }: Progress, until: number): Promise<void> {
    const { questions, logger } = this.#options;
    // Up to `documentsUntil`, the documents that were just written are newer than the changes: only events are missing.
    const onlyEvents = sequence < documentsUntil;
    const last = onlyEvents ? documentsUntil : until;
    const changes = await this.#changesUntil(organizationId, sequence, last);
    const kept = await this.#withoutErased(organizationId, changes, onlyEvents);
    // The log begins after `last`: then there is nothing to replay up to it.
    const step = kept.length > 0 ? kept : [{ sequence: last, lane: LANE.live, position: 0, change: NO_CHANGE }];
    const mode = { withDocuments: !onlyEvents, isReplay: true };
    const prepared = await prepareChanges(this.#options, organizationId, step, mode);
    await questions.writeChanges(organizationId, prepared.step);
    logger.info(
      { organizationId, replayed: step.at(-1)?.sequence, of: until },
      "changes are replayed to the question engine",
    );
  }

  /** The next changes. The log need not begin with the first change, but from its beginning on it has no gap. */
  async #changesUntil(organizationId: string, after: number, last: number): Promise<LoggedChange[]> {
    const { database, logger } = this.#options;
    const first = await firstSequence(database, organizationId);
    const begin = Math.max(after, first === undefined ? last : Math.min(first - 1, last));
    if (begin > after) {
      logger.warn(
        { organizationId, from: after + 1, to: begin },
        "the change log does not hold these changes any more",
      );
    }
    if (begin === last) return [];
    const read = await readNextChanges(database, organizationId, begin, LIMITS);
    return read.filter((logged) => logged.sequence <= last);
  }

  /** The changes without subjects that were erased since. */
  async #withoutErased(
    organizationId: string,
    changes: readonly LoggedChange[],
    onlyEvents: boolean,
  ): Promise<LoggedChange[]> {
    const subjects = changes.flatMap(({ change }) => [...subjectsOf(change), ...change.removed.map(({ id }) => id)]);
    const erased = await findErased(this.#options.database, organizationId, subjects);
    const kept: LoggedChange[] = [];
    for (const { change, ...logged } of changes) {
      const remaining = await forgetErased(this.#options.database, organizationId, change, erased);
      // The new documents hold no erased subject, so there is none to remove. One that an undo has removed is not erased.
      const removed = remaining.removed.filter(({ id }) => !onlyEvents || !erased.has(id));
      kept.push({ ...logged, change: { ...remaining, removed } });
    }
    return kept;
  }
}
