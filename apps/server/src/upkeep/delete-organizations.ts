import { MINUTE_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../runtime/loops/loop.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import type { Database } from "../storage/postgres/database.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { removeMembersOf } from "../storage/postgres/members/members.js";
import {
  listOrganizationTables,
  removeOrganization,
  removeOrganizationRows,
} from "../storage/postgres/objects/organization-rows.js";
import { listDeletedOrganizations } from "../storage/postgres/objects/organizations.js";
import type { Questions } from "../storage/questions/questions.js";
import { isDoneHere } from "./is-done-here.js";

export interface DeleteOrganizationsOptions {
  database: Database;
  log: Pick<IngestionLog, "remove">;
  questions: Questions;
  logger: Logger;
  /** Removes the files of an organization: uploads, and those of its jobs. */
  removeFiles(organizationId: string): Promise<void>;
  /** How long work that had already started may still write. */
  settleMs: number;
}

const WORK = "removing deleted organizations";
const LOOK_EVERY_MS = 5_000;
// A job notices within 5 s that its organization is gone. Traces and logs of connectors are in memory for a second.
const SETTLE_MS = 10_000;

export interface OrganizationDeletionOptions extends Omit<DeleteOrganizationsOptions, "settleMs"> {
  /** Callers are identified before the body arrives, so a request from before the deletion may write so long after it. */
  requestTimeoutMs: number;
  leases: WorkLeases;
}

/** Removes the data of deleted organizations. */
export function startOrganizationDeletion({ requestTimeoutMs, leases, ...options }: OrganizationDeletionOptions): Loop {
  const settleMs = requestTimeoutMs + SETTLE_MS;
  const loop = new Loop({
    async step(signal) {
      if (!(await isDoneHere(leases, WORK))) return LOOK_EVERY_MS;
      await deleteOrganizations({ ...options, settleMs }, signal);
      return LOOK_EVERY_MS;
    },
    onError: (error) => options.logger.error({ err: error }, "removing a deleted organization failed"),
    lastRetryMs: MINUTE_MS,
  });
  loop.start();
  return loop;
}

/**
 * Removes everything of the organizations that were deleted, in small steps. No progress is stored: after a restart
 * the removal starts again, and each table that is already empty costs one query. When one organization fails, the others go on.
 */
export async function deleteOrganizations(options: DeleteOrganizationsOptions, signal: AbortSignal): Promise<void> {
  const { database, logger, settleMs } = options;
  const failures: unknown[] = [];
  for (const { id: organizationId, namespace } of await listDeletedOrganizations(database, { minAgeMs: settleMs })) {
    try {
      // Work that had already started may write to a table after it was emptied, so the last pass must find nothing.
      while (!signal.aborted && (await removeAll(options, organizationId, signal)) > 0);
      if (signal.aborted) return;
      await removeOrganization(database, organizationId);
      logger.info({ organizationId, namespace }, "a deleted organization was removed with all its data");
    } catch (error) {
      logger.error({ err: error, organizationId }, "the removal of a deleted organization failed");
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures.at(-1);
}

/** Removes what is found of an organization. Returns how many rows there were. */
async function removeAll(
  { database, log, questions, removeFiles }: DeleteOrganizationsOptions,
  organizationId: string,
  signal: AbortSignal,
): Promise<number> {
  await questions.drop(organizationId);
  // Before the rows that say which log it has.
  await log.remove(organizationId);
  // Before the rows of the jobs, which say where their files are.
  await removeFiles(organizationId);
  // Before the rows of their roles. Nobody else could remove a member without any organization.
  let total = await database.transaction((tx) => removeMembersOf(tx, organizationId));
  for (const table of await listOrganizationTables(database)) {
    for (let isDone = false; !isDone && !signal.aborted; ) {
      const step = await removeOrganizationRows(database, table, organizationId);
      total += step.removed;
      isDone = step.isDone;
    }
  }
  return total;
}
