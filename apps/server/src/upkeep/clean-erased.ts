import { createdAtOfId } from "@muster/protocol";
import type { Logger } from "pino";
import { LANE } from "../domain/entries/lanes.js";
import { ErasedSubjects } from "../domain/identity/erased-subjects.js";
import { forgetSubjects, subjectsOf } from "../domain/identity/forget-subjects.js";
import {
  type ErasurePass,
  endPass,
  listToClean,
  lockPass,
  organizationsToClean,
  PASS_STEPS,
  savePass,
} from "../storage/postgres/changes/erasures.js";
import {
  changeBefore,
  dropLoggedEntries,
  dropRejectedEntries,
  type PageEnd,
  rewriteChanges,
} from "../storage/postgres/changes/rewrite-logs.js";
import type { Database, Transaction } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";

export interface CleanErasedOptions {
  database: Database;
  questions: Questions;
  logger: Logger;
}

/**
 * Removes erased subjects from the logs of changes and entries. There is one pass per organization, for all subjects
 * that were erased before it began. The pass goes page by page, and each page is a transaction that also saves the
 * progress.
 */
export async function cleanErased(options: CleanErasedOptions, signal: AbortSignal): Promise<void> {
  for (const organizationId of await organizationsToClean(options.database)) {
    while (!signal.aborted && (await cleanNext(options, organizationId)));
  }
}

/** Does the next page of the pass of an organization; false when the pass is at its end. */
export async function cleanNext(options: CleanErasedOptions, organizationId: string): Promise<boolean> {
  return options.database.transaction(async (tx) => {
    const pass = await lockPass(tx, organizationId);
    if (!pass) return false;
    const subjects = await listToClean(tx, organizationId, pass.startedAt);
    const erased = new ErasedSubjects(subjects);
    if (pass.step === "end") {
      const ids = [...erased.ids];
      await options.questions.erase(organizationId, ids);
      await endPass(tx, organizationId, ids);
      options.logger.info({ organizationId, subjects: ids.length }, "erased subjects taken out of the logs");
      return false;
    }
    const end = await cleanPage(tx, organizationId, pass, erased);
    await savePass(tx, organizationId, end === undefined ? stepAfter(pass) : { step: pass.step, after: end });
    return true;
  });
}

async function cleanPage(
  tx: Transaction,
  organizationId: string,
  { step, after }: ErasurePass,
  erased: ErasedSubjects,
): Promise<PageEnd> {
  const isAboutErased = erased.areNamedIn.bind(erased);
  switch (step) {
    case "changes": {
      const begin = after === 0 ? await changeBefore(tx, organizationId, earliest(erased.ids)) : after;
      return rewriteChanges(tx, organizationId, begin, (change) =>
        subjectsOf(change).some((id) => erased.ids.has(id)) ? forgetSubjects(change, erased.ids) : change,
      );
    }
    case LANE.active:
    case LANE.live:
    case LANE.bulk:
      return dropLoggedEntries(tx, organizationId, step, after, isAboutErased);
    case "rejected":
      return dropRejectedEntries(tx, organizationId, after, isAboutErased);
    case "end":
      return undefined;
  }
}

function stepAfter({ step }: ErasurePass): Pick<ErasurePass, "step" | "after"> {
  return { step: PASS_STEPS[PASS_STEPS.indexOf(step) + 1] ?? "end", after: 0 };
}

/** No log mentions a subject before it was created, and an id holds the time of creation. */
function earliest(ids: ReadonlySet<string>): Date {
  return new Date(Math.min(...Array.from(ids, (id) => createdAtOfId(id).getTime())));
}
