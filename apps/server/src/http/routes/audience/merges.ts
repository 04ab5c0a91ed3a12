import { type Brand, type SubjectType, typeOfId } from "@muster/protocol";
import { MERGES_API } from "@muster/protocol/api/merges";
import type { SubjectMerges } from "../../../audience/subjects/subject-merges.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorIdOf } from "../../auth/caller.js";
import { notFound } from "../not-found.js";
import { describePage, limitsOf } from "../pagination.js";

export interface MergeRoutesOptions {
  subjects: Subjects;
  merges: SubjectMerges;
  brand: Brand;
}

/** The merges of users and accounts, and how they are undone. */
export function mergeRoutes(app: App, { subjects, merges, brand }: MergeRoutesOptions): void {
  const require = async (id: string, { organization }: Caller) => {
    const subjectType: SubjectType = typeOfId(id) === "account" ? "account" : "user";
    const subject = await subjects.find(subjectType, organization.id, id);
    if (!subject) throw notFound("user or account", id);
    return subject;
  };

  app.get(
    "/:id/merges",
    {
      config: { access: "connector" },
      schema: {
        tags: ["reports"],
        summary: "What was merged into a user or account, when, why, and whether it can be undone",
        ...MERGES_API["GET /api/v1/{id}/merges"],
      },
    },
    async ({ caller, params }) => merges.list(caller.organization.id, await require(params.id, caller)),
  );

  app.post(
    "/:id/unmerge",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["reports"],
        summary: "Undo a merge, or show what that would do",
        description:
          "The one that was merged is split off and has its former id again. What records have written since the merge goes to the one whose identifier they name.",
        ...MERGES_API["POST /api/v1/{id}/unmerge"],
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      const { merged_id: mergedId, dry_run: isDryRun, never_again: isNeverAgain, choices = {} } = body;
      const subject = await require(params.id, caller);
      if (isDryRun) return merges.preview(caller.organization.id, subject, mergedId, choices);
      const connectorId = connectorIdOf(caller);
      const done = await merges.undo(caller.organization.id, subject, {
        mergedId,
        isNeverAgain,
        choices,
        connectorId,
      });
      request.audited = { after: { unmerged_id: mergedId, never_again: isNeverAgain } };
      reply.header(brand.headers.position, done.position);
      return done;
    },
  );

  app.get(
    "/do_not_merge",
    {
      config: { access: "connector" },
      schema: {
        tags: ["reports"],
        summary: "Users and accounts that are not merged, because somebody has undone their merge",
        ...MERGES_API["GET /api/v1/do_not_merge"],
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const { decisions, total } = await merges.keptApart(caller.organization.id, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return decisions;
    },
  );

  app.delete(
    "/do_not_merge/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["reports"],
        summary: "Let two users or accounts be merged again",
        ...MERGES_API["DELETE /api/v1/do_not_merge/{id}"],
      },
    },
    async ({ caller, params: { id } }) => {
      if (!(await merges.allowAgain(caller.organization.id, id))) throw notFound("decision", id);
      return { id, deleted: true as const };
    },
  );
}
