import { Type } from "typebox";
import type { Organization } from "../../../domain/organizations/organization.js";
import type { Pipeline } from "../../../pipeline/pipeline.js";
import { readProjectCursor } from "../../../storage/postgres/changes/changes.js";
import { findRebuild, requestRebuild } from "../../../storage/postgres/changes/rebuilds.js";
import type { Database } from "../../../storage/postgres/database.js";
import { listOrganizations } from "../../../storage/postgres/objects/organizations.js";
import { isBehind, type Progress } from "../../../storage/questions/projection.js";
import type { Questions } from "../../../storage/questions/questions.js";
import type { App } from "../../app-type.js";

export interface RebuildRoutesOptions {
  database: Database;
  questions: Questions;
  pipeline: Pipeline;
}

const Scope = Type.Object({
  all: Type.Optional(Type.Boolean({ description: "Every organization, not only this one." })),
});

const RebuildRecord = Type.Object({
  organization: Type.String({ description: "The organization's namespace." }),
  phase: Type.String({ description: "`requested`, `documents`, `events`, `done`, or `none` when nobody asked." }),
  documents: Type.Integer({ description: "Users and accounts written so far." }),
  changes: Type.Integer({ description: "Rows of the change log replayed so far." }),
  changes_total: Type.Integer({ description: "Rows of the change log to replay; 0 until that is known, and after." }),
  requested_at: Type.Union([Type.String(), Type.Null()]),
  finished_at: Type.Union([Type.String(), Type.Null()]),
});

/** Making everything that questions are asked of anew from PostgreSQL. Nothing is lost by it, but searches miss things until it is done. */
export function rebuildRoutes(app: App, { database, questions, pipeline }: RebuildRoutesOptions): void {
  const engines = { database, questions };
  const inScope = async (organization: Organization, all: boolean | undefined) =>
    all ? listOrganizations(database) : [organization];

  app.post(
    "/rebuild",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "Rebuild the search side of an organization, or of all, from PostgreSQL",
        body: Scope,
        response: { 202: Type.Array(RebuildRecord) },
      },
    },
    async ({ caller, body }, reply) => {
      const organizations = await inScope(caller.organization, body.all);
      for (const { id } of organizations) {
        await database.transaction((tx) => requestRebuild(tx, id));
        pipeline.catchUpSoon(id);
      }
      reply.status(202);
      return Promise.all(organizations.map((organization) => rebuildRecord(engines, organization)));
    },
  );

  app.get(
    "/rebuild",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "How far the rebuild of an organization, or of all, has come",
        querystring: Scope,
        response: { 200: Type.Array(RebuildRecord) },
      },
    },
    async ({ caller, query }) => {
      const organizations = await inScope(caller.organization, query.all);
      return Promise.all(organizations.map((organization) => rebuildRecord(engines, organization)));
    },
  );
}

async function rebuildRecord(
  { database, questions }: Pick<RebuildRoutesOptions, "database" | "questions">,
  { id, namespace }: Organization,
) {
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

/** What the question engine still lacks; undefined when it has everything. */
function phaseOf(progress: Progress, cursor: { generation: string | undefined; sequence: number }) {
  if (!isBehind(progress, cursor)) return undefined;
  if (progress.generation !== cursor.generation) return "requested";
  return progress.documents ? "documents" : "events";
}
