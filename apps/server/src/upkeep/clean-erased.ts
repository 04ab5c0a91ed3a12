import { createdAtOfId } from "@muster/protocol";
import type { Logger } from "pino";
import { eraseFromMessage } from "../domain/delivery/erase-from-message.js";
import { LANE } from "../domain/entries/lanes.js";
import { ErasedSubjects } from "../domain/identity/erased-subjects.js";
import { forgetSubjects, subjectsOf } from "../domain/identity/forget-subjects.js";
import { Mentions } from "../domain/identity/mentions.js";
import { dropLogLines, dropRejectedLines, dropVerdicts } from "../storage/postgres/changes/drop-mentions.js";
import {
  type ErasurePass,
  endPass,
  listToClean,
  lockPass,
  organizationsToClean,
  PASS_STEPS,
  type PassStep,
  type PassTiming,
  savePass,
} from "../storage/postgres/changes/erasures.js";
import {
  type CleanedPage,
  changeBefore,
  dropLoggedEntries,
  dropRejectedEntries,
  rewriteChanges,
} from "../storage/postgres/changes/rewrite-logs.js";
import { rewriteBatches, rewriteLetters } from "../storage/postgres/changes/rewrite-messages.js";
import type { Database, Transaction } from "../storage/postgres/database.js";
import { hasExpiredFiles } from "../storage/postgres/jobs/job-files.js";
import type { Questions } from "../storage/questions/questions.js";

export interface CleanErasedOptions {
  database: Database;
  questions: Questions;
  logger: Logger;
  /** Left out: every erasure is cleaned at once. */
  timing?: PassTiming;
}

/** What a receipt calls the things that a step removes. */
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
};

/**
 * Removes erased subjects from logs, queues and files. There is one pass per organization, for all subjects that were
 * erased before it began. The pass goes page by page, and each page is a transaction that also saves the progress.
 */
export async function cleanErased(options: CleanErasedOptions, signal: AbortSignal): Promise<void> {
  for (const organizationId of await organizationsToClean(options.database, options.timing)) {
    while (!signal.aborted && (await cleanNext(options, organizationId)));
  }
}

/** Does the next page of the pass of an organization; false when the pass is at its end. */
export async function cleanNext(options: CleanErasedOptions, organizationId: string): Promise<boolean> {
  return options.database.transaction(async (tx) => {
    const pass = await lockPass(tx, organizationId);
    if (!pass) return false;
    const { step, counts } = pass;
    const subjects = await listToClean(tx, organizationId, pass);
    if (step === "end" || subjects.length === 0) {
      // Files of extracts with these subjects are removed by another loop. The receipt must not be ahead of it.
      if (await hasExpiredFiles(tx, organizationId)) return false;
      const ids = subjects.map(({ id }) => id);
      if (ids.length > 0) await options.questions.erase(organizationId, ids);
      await endPass(tx, organizationId, ids, counts);
      options.logger.info({ organizationId, subjects: ids.length, ...counts }, "erased subjects taken out of the logs");
      return false;
    }
    const { end, removed } = await cleanPage(tx, organizationId, { ...pass, step }, new Erased(subjects));
    const kind = KINDS[step];
    const next = end === undefined ? stepAfter(pass) : { step, after: end };
    await savePass(tx, organizationId, { ...next, counts: { ...counts, [kind]: (counts[kind] ?? 0) + removed } });
    return true;
  });
}

/** The subjects of a pass, in the forms in which the steps look for them. */
class Erased {
  readonly subjects: ErasedSubjects;
  readonly mentions: Mentions;
  /** No log mentions a subject before it was created, and an id holds the time of creation. */
  readonly since: Date;

  constructor(subjects: ConstructorParameters<typeof ErasedSubjects>[0]) {
    this.subjects = new ErasedSubjects(subjects);
    this.mentions = new Mentions(subjects);
    this.since = new Date(Math.min(...subjects.map(({ id }) => createdAtOfId(id).getTime())));
  }
}

async function cleanPage(
  tx: Transaction,
  organizationId: string,
  { step, after }: Pick<ErasurePass, "after"> & { step: Exclude<PassStep, "end"> },
  { subjects, mentions, since }: Erased,
): Promise<CleanedPage> {
  const { ids } = subjects;
  switch (step) {
    case "changes": {
      const begin = after === 0 ? await changeBefore(tx, organizationId, since) : after;
      return rewriteChanges(tx, organizationId, begin, (change) =>
        subjectsOf(change).some((id) => ids.has(id)) ? forgetSubjects(change, ids) : change,
      );
    }
    case LANE.active:
    case LANE.live:
    case LANE.bulk:
      return dropLoggedEntries(tx, organizationId, step, after, (entry, at) => subjects.areNamedIn(entry, at));
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
      return rewriteLetters(
        tx,
        organizationId,
        after,
        (message) => eraseFromMessage(message, ids),
        (text) => mentions.areIn(text),
      );
    case "logs":
      return dropLogLines(tx, organizationId, after, mentions.patterns, since);
  }
}

function stepAfter({ step }: ErasurePass): Pick<ErasurePass, "step" | "after"> {
  return { step: PASS_STEPS[PASS_STEPS.indexOf(step) + 1] ?? "end", after: 0 };
}
