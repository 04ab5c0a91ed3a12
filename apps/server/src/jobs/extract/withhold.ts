import { consentAttribute } from "@muster/protocol";
import { reportKey } from "@muster/query";
import type { Job } from "../../domain/jobs/job.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { readPurposes } from "../../storage/postgres/objects/purposes.js";
import type { ExtractParameters } from "../parameters/extract-parameters.js";
import { JobFailure } from "../runner/job-failure.js";

/** Why there is no file: an event does not say what its user has agreed to. */
export const NO_EVENTS_FOR_PURPOSES =
  "Events cannot be extracted for a purpose: they do not say what their users have agreed to.";

/**
 * The purposes of an extract: those that it was asked for, and those of the connector that asked for it. It is looked up
 * when the extract runs, because the connector may serve others by then.
 */
export async function purposesOf(database: Queryable, job: Job<ExtractParameters>): Promise<string[]> {
  const served = await readPurposes(database, job.organizationId, job.connectorId);
  const purposes = [...new Set([...(job.parameters.purposes ?? []), ...served])];
  if (purposes.length > 0 && job.object === "events") throw new JobFailure(NO_EVENTS_FOR_PURPOSES);
  return job.object === "users" ? purposes : [];
}

/** A query for those who are found by another query and have agreed to all of the purposes. */
export function withConsents(query: unknown, purposes: readonly string[]): unknown {
  if (purposes.length === 0) return query;
  const agreed = purposes.map((purpose) => ({ term: { [reportKey("user", consentAttribute(purpose))]: true } }));
  return { bool: { must: [isEmpty(query) ? { match_all: {} } : query], filter: agreed } };
}

function isEmpty(query: unknown): boolean {
  return query === null || query === undefined || (typeof query === "object" && Object.keys(query).length === 0);
}
