import { createdAtOfId } from "@muster/protocol";
import type { Logger } from "pino";
import { eraseFromMessage } from "../domain/delivery/erase-from-message.js";
import { LANE } from "../domain/entries/lanes.js";
import { type ErasedSubject, ErasedSubjects } from "../domain/erasure/erased-subjects.js";
import { subjectsOf } from "../domain/erasure/forget-subjects.js";
import { Mentions } from "../domain/erasure/mentions.js";
import { Pseudonyms } from "../domain/erasure/pseudonyms.js";
import { forgetErased } from "../pipeline/project/forget-erased.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import type { CleanedPage } from "../storage/logs/cleaned-page.js";
import {
  dropKeptMessages,
  dropLogLines,
  dropRejectedLines,
  dropVerdicts,
} from "../storage/postgres/changes/drop-mentions.js";
import {
  type ErasurePass,
  endPass,
  listToClean,
  lockPass,
  lockStartedPass,
  organizationsToClean,
  PASS_STEPS,
  type PassStep,
  type PassTiming,
  savePass,
} from "../storage/postgres/changes/erasures.js";
import { listLeftMentions } from "../storage/postgres/changes/left-mentions.js";
import {
  pseudonymiseAuditLog,
  pseudonymiseJobs,
  pseudonymiseVersions,
  pseudonymiseViews,
} from "../storage/postgres/changes/pseudonymise.js";
import { changeBefore, dropRejectedEntries, rewriteChanges } from "../storage/postgres/changes/rewrite-logs.js";
import { rewriteBatches, rewriteLetters } from "../storage/postgres/changes/rewrite-messages.js";
import type { Database, Transaction } from "../storage/postgres/database.js";
import { hasExpiredFiles } from "../storage/postgres/jobs/job-files.js";
import type { Questions } from "../storage/questions/questions.js";

export interface CleanErasedOptions {
  database: Database;
  log: Pick<IngestionLog, "dropEntries">;
  questions: Questions;
  logger: Logger;
  /**
   * Removes uploads of an organization that were written before a time and that no import needs. Returns how many.
   * Default: they are left until their retention is over.
   */
  removeUploads?: (organizationId: string, before: Date) => Promise<number>;
  /** Default: every erasure is cleaned at once. */
  timing?: PassTiming;
}

/** What a receipt calls the things that a step removes, or takes identifiers out of. */
const KINDS: Record<Exclude<PassStep, "end">, string> = {
  changes: "changes",
  [LANE.active]: "ingestion_log_entries",
  [LANE.live]: "ingestion_log_entries",
  [LANE.bulk]: "ingestion_log_entries",
  rejected: "rejected_entries",
  lines: "rejected_lines",
  answers: "idempotency_answers",
  messages: "queued_messages",
  letters: "dead_letters",
  logs: "connector_logs",
  views: "views",
  versions: "segment_versions",
  jobs: "jobs",
  audit: "audit_entries",
};

/**
 * Removes erased subjects from logs, queues, files, and what people wrote. There is one pass per organization, for subjects that were erased
 * before it began. The pass goes page by page, and each page is a transaction that also saves the progress. When the
 * pass of an organization fails, those of the others go on. The last error is thrown at the end.
 */
export async function cleanErased(options: CleanErasedOptions, signal: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const organizationId of await organizationsToClean(options.database, options.timing)) {
    try {
      while (!signal.aborted && (await cleanNext(options, organizationId)));
    } catch (error) {
      options.logger.error({ err: error, organizationId }, "the clean-up of an organization after an erasure failed");
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures.at(-1);
}

/** Does the next page of the pass of an organization; false when the pass is at its end. */
export async function cleanNext(options: CleanErasedOptions, organizationId: string): Promise<boolean> {
  const { database, log, questions, logger } = options;
  const next = await database.transaction((tx) => cleanNextPage(tx, log, organizationId));
  if (next === "more") return true;
  if (next === "wait") return false;
  // This may take minutes, and PostgreSQL ends a transaction that is idle for long. Two processes may do it at the same
  // time: erasing the same subjects again changes nothing.
  const { subjects, untilSequence } = next;
  const ids = subjects.map(({ id }) => id);
  if (ids.length > 0) await questions.erase(organizationId, ids);
  const uploads = await removeUploadsOf(options, organizationId, subjects);
  await database.transaction(async (tx) => {
    const pass = await lockStartedPass(tx, organizationId);
    // Another process has finished the pass in the meantime, or is about to.
    if (pass?.untilSequence !== untilSequence) return;
    const counts = { ...pass.counts, uploads };
    await endPass(
      tx,
      organizationId,
      ids,
      counts,
      await listLeftMentions(tx, organizationId, new Pseudonyms(subjects)),
    );
    logger.info({ organizationId, subjects: ids.length, ...counts }, "erased subjects taken out of the logs");
  });
  return false;
}

/** The rest of a pass, when only the question engine is left to clean. */
interface LastStep extends Pick<ErasurePass, "untilSequence"> {
  subjects: ErasedSubject[];
}

/** An upload cannot be searched: it may be compressed. So those from before the last erasure go as a whole. */
async function removeUploadsOf(
  { removeUploads }: CleanErasedOptions,
  organizationId: string,
  subjects: readonly ErasedSubject[],
): Promise<number> {
  if (!removeUploads || subjects.length === 0) return 0;
  return removeUploads(organizationId, new Date(Math.max(...subjects.map(({ erasedAt }) => erasedAt.getTime()))));
}

async function cleanNextPage(
  tx: Transaction,
  log: Pick<IngestionLog, "dropEntries">,
  organizationId: string,
): Promise<"more" | "wait" | LastStep> {
  const pass = await lockPass(tx, organizationId);
  if (!pass) return "wait";
  const { step, counts } = pass;
  const subjects = await listToClean(tx, organizationId, pass);
  if (step === "end" || subjects.length === 0) {
    // Files of extracts with these subjects are removed by another loop. The receipt must not be ahead of it.
    if (await hasExpiredFiles(tx, organizationId)) return "wait";
    return { subjects, untilSequence: pass.untilSequence };
  }
  const { end, removed } = await cleanPage(tx, log, organizationId, { ...pass, step }, new Erased(subjects));
  const kind = KINDS[step];
  const next = end === undefined ? stepAfter(pass) : { step, after: end };
  await savePass(tx, organizationId, { ...next, counts: { ...counts, [kind]: (counts[kind] ?? 0) + removed } });
  return "more";
}

/** The subjects of a pass, in the forms in which the steps look for them. */
class Erased {
  readonly subjects: ErasedSubjects;
  readonly mentions: Mentions;
  readonly pseudonyms: Pseudonyms;
  /** No log mentions a subject before it was created, and an id holds the time of creation. */
  readonly since: Date;

  constructor(subjects: ConstructorParameters<typeof ErasedSubjects>[0]) {
    this.subjects = new ErasedSubjects(subjects);
    this.mentions = new Mentions(subjects);
    this.pseudonyms = new Pseudonyms(subjects);
    this.since = new Date(
      subjects.reduce((first, { id }) => Math.min(first, createdAtOfId(id).getTime()), Number.POSITIVE_INFINITY),
    );
  }
}

async function cleanPage(
  tx: Transaction,
  log: Pick<IngestionLog, "dropEntries">,
  organizationId: string,
  { step, after }: Pick<ErasurePass, "after"> & { step: Exclude<PassStep, "end"> },
  { subjects, mentions, pseudonyms, since }: Erased,
): Promise<CleanedPage> {
  const { ids } = subjects;
  switch (step) {
    case "changes": {
      const begin = after === 0 ? await changeBefore(tx, organizationId, since) : after;
      return rewriteChanges(tx, organizationId, begin, (change) =>
        subjectsOf(change).some((id) => ids.has(id)) ? forgetErased(tx, organizationId, change, ids) : change,
      );
    }
    case LANE.active:
    case LANE.live:
    case LANE.bulk:
      return log.dropEntries(
        tx,
        organizationId,
        { lane: step, after },
        (entry, at) => subjects.areNamedIn(entry, at),
        (text) => mentions.areIn(text),
      );
    case "rejected":
      return dropRejectedEntries(
        tx,
        organizationId,
        after,
        (entry, at, message) => subjects.areNamedIn(entry, at) || mentions.areIn(message),
      );
    case "lines":
      return dropRejectedLines(tx, organizationId, mentions.patterns);
    case "answers":
      return dropVerdicts(tx, organizationId, mentions.patterns);
    case "messages":
      return rewriteBatches(tx, organizationId, after, (message) => eraseFromMessage(message, ids));
    case "letters":
      if (after === 0) await dropKeptMessages(tx, organizationId, mentions.patterns);
      return rewriteLetters(
        tx,
        organizationId,
        after,
        (message) => eraseFromMessage(message, ids),
        (text) => mentions.areIn(text),
      );
    case "logs":
      return dropLogLines(tx, organizationId, after, mentions.patterns, since);
    case "views":
      return pseudonymiseViews(tx, organizationId, pseudonyms);
    case "versions":
      return pseudonymiseVersions(tx, organizationId, pseudonyms);
    case "jobs":
      return pseudonymiseJobs(tx, organizationId, pseudonyms);
    case "audit":
      return pseudonymiseAuditLog(tx, organizationId, after, pseudonyms);
  }
}

function stepAfter({ step }: ErasurePass): Pick<ErasurePass, "step" | "after"> {
  return { step: PASS_STEPS[PASS_STEPS.indexOf(step) + 1] ?? "end", after: 0 };
}
