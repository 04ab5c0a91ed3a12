import type { Rebuild } from "@muster/protocol/api/operations";
import type { Organization } from "../../domain/organizations/organization.js";
import { readProjectCursor } from "../../storage/postgres/changes/changes.js";
import { findRebuild, requestRebuild } from "../../storage/postgres/changes/rebuilds.js";
import type { Database } from "../../storage/postgres/database.js";
import { listOrganizations } from "../../storage/postgres/objects/organizations.js";
import { isBehind, type Progress } from "../../storage/questions/projection.js";
import type { Questions } from "../../storage/questions/questions.js";

export interface RebuildsOptions {
  database: Database;
  questions: Pick<Questions, "progress">;
  /** Called when the question engine of an organization must be filled again. */
  onRequest(organizationId: string): void;
}

/**
 * Rebuilds: the question engine is emptied and filled again from PostgreSQL. No data is lost, but searches miss some of
 * it until the rebuild is done.
 */
export class Rebuilds {
  readonly #options: RebuildsOptions;

  constructor(options: RebuildsOptions) {
    this.#options = options;
  }

  /** Requests a rebuild of one organization, or of all. */
  async request(organization: Organization | "all"): Promise<Rebuild[]> {
    const { database, onRequest } = this.#options;
    const organizations = await this.#inScope(organization);
    for (const { id } of organizations) {
      await database.transaction((tx) => requestRebuild(tx, id));
      onRequest(id);
    }
    return Promise.all(organizations.map((one) => this.#record(one)));
  }

  /** The progress of the rebuild of one organization, or a page of those of all. */
  async list(
    organization: Organization | "all",
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ total: number; rebuilds: Rebuild[] }> {
    const organizations = await this.#inScope(organization);
    const listed = organizations.slice(offset, offset + limit);
    return { total: organizations.length, rebuilds: await Promise.all(listed.map((one) => this.#record(one))) };
  }

  async #inScope(organization: Organization | "all"): Promise<Organization[]> {
    return organization === "all" ? listOrganizations(this.#options.database) : [organization];
  }

  async #record({ id, namespace }: Organization): Promise<Rebuild> {
    const { database, questions } = this.#options;
    const [rebuild, cursor, progress] = await Promise.all([
      findRebuild(database, id),
      readProjectCursor(database, id),
      questions.progress(id),
    ]);
    const phase = phaseOf(progress, cursor) ?? (rebuild ? "done" : "none");
    return {
      organization: namespace,
      phase,
      documents: progress.generation === cursor.generation ? progress.documentCount : 0,
      changes: phase === "events" ? progress.sequence : 0,
      changes_total: phase === "events" ? cursor.sequence : 0,
      requested_at: rebuild?.requestedAt.toISOString() ?? null,
      finished_at: rebuild?.finishedAt?.toISOString() ?? null,
    };
  }
}

/** What the question engine still has to be given; undefined when it has everything. */
function phaseOf(progress: Progress, cursor: { generation: string | undefined; sequence: number }) {
  if (!isBehind(progress, cursor)) return undefined;
  if (progress.generation !== cursor.generation) return "requested";
  return progress.documents ? "documents" : "events";
}
