import type { Logger } from "pino";
import { NO_CHANGE } from "../../domain/changes/change-set.js";
import { LANE } from "../../domain/entries/lanes.js";
import { forgetSubjects, subjectsOf } from "../../domain/identity/forget-subjects.js";
import { type GenerationCursor, readChangeHead, readChanges } from "../../storage/postgres/changes/changes.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import { finishRebuild, renewGeneration } from "../../storage/postgres/changes/rebuilds.js";
import { pageProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { DocumentProgress, Progress } from "../../storage/questions/projection.js";
import { documentOf, loadTypes, type ProjectOptions, projectChanges } from "./project.js";

export interface CatchUpOptions extends ProjectOptions {
  logger: Logger;
}

// A page of documents is some megabytes; a restart repeats at most one.
const DOCUMENTS_PER_STEP = 4_096;
const CHANGES_PER_STEP = 16;

/**
 * Brings the question engine to where the pipeline has come, when it is not there: because it was lost, is older, holds
 * another generation, or because a rebuild was asked for. Users and accounts are written as they are now, then the change
 * log is replayed. What is replayed was evaluated and told when it happened, so no segment is entered or left by it and no
 * connector hears of it. It runs inside the project stage, before anything else: new changes wait behind it.
 */
export class CatchUp {
  readonly #options: CatchUpOptions;
  /** Organizations whose engine was seen to be where it should be. */
  readonly #settled = new Set<string>();

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** Looks again at an organization whose engine may be another than before. */
  lookAgain(organizationId: string): void {
    this.#settled.delete(organizationId);
  }

  /** Does the next piece; false when the engine is where it should be. */
  async step(organizationId: string, cursor: GenerationCursor): Promise<boolean> {
    const { database, questions } = this.#options;
    const progress = await questions.progress(organizationId);
    if (progress.generation !== cursor.generation) {
      await this.#begin(organizationId, cursor.generation);
      return true;
    }
    if (progress.documents) {
      await this.#writeDocuments(organizationId, progress, progress.documents, cursor);
      return true;
    }
    if (progress.sequence < cursor.sequence) {
      await this.#replay(organizationId, progress, cursor.sequence);
      return true;
    }
    if (this.#settled.has(organizationId)) return false;
    if (progress.sequence > (await readChangeHead(database, organizationId))) {
      // PostgreSQL was put back to an earlier state: the engine has seen what will never have happened.
      await renewGeneration(database, organizationId);
      return true;
    }
    await finishRebuild(database, organizationId);
    this.#settled.add(organizationId);
    return false;
  }

  async #begin(organizationId: string, generation: string): Promise<void> {
    const { questions, handover, logger } = this.#options;
    this.lookAgain(organizationId);
    handover.clear(organizationId);
    await questions.begin(organizationId, generation);
    logger.info({ organizationId }, "the question engine is filled anew");
  }

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
      const now = Date.now();
      const page = profiles.map((current) => documentOf(current, now));
      const next = { kind, afterId: last.profile.id };
      await questions.writeDocuments(
        organizationId,
        page,
        next,
        await loadTypes(database, organizationId, maxAttributes),
      );
      const documents = documentCount + page.length;
      logger.info({ organizationId, documents }, "the question engine is filled with documents");
    } else if (kind === "account") {
      const next = { kind: "user" as const, afterId: "" };
      await questions.writeDocuments(organizationId, [], next, () => undefined);
    } else {
      await questions.endDocuments(organizationId, cursor.sequence);
    }
  }

  async #replay(organizationId: string, { sequence, documentsUntil }: Progress, until: number): Promise<void> {
    const { database, logger } = this.#options;
    // Documents that were just written are as new as any: up to there, only what happened is missing.
    const isNew = sequence < documentsUntil;
    const last = isNew ? documentsUntil : until;
    const read = await readChanges(database, organizationId, sequence, CHANGES_PER_STEP);
    const changes = read.filter((logged) => logged.sequence <= last);
    const subjects = changes.flatMap(({ change }) => subjectsOf(change));
    const erased = await findErased(database, organizationId, subjects);
    const kept = changes.map(({ change, ...logged }) => {
      const remaining = forgetSubjects(change, erased);
      // Who was erased is not written again, and so need not be erased again.
      return { ...logged, change: isNew ? { ...remaining, removed: [] } : remaining };
    });
    // The log may have a gap, where it was not kept: then there is nothing to replay.
    const step = kept.length > 0 ? kept : [{ sequence: last, lane: LANE.live, position: 0, change: NO_CHANGE }];
    await projectChanges(this.#options, organizationId, step, { withDocuments: !isNew });
    logger.info(
      { organizationId, replayed: step.at(-1)?.sequence, of: until },
      "changes are replayed to the question engine",
    );
  }
}
