import type { Brand } from "@muster/protocol";
import { JOBS_API } from "@muster/protocol/api/jobs";
import type { Jobs } from "../../../jobs/jobs.js";
import type { App } from "../../app-type.js";
import { isOwner, ownConnectorId } from "../../auth/caller.js";
import type { ObjectHandler } from "../../object-handler.js";
import { describePage, limitsOf } from "../pagination.js";

export interface JobRoutesOptions {
  jobs: Jobs;
  brand: Brand;
}

/** The jobs of an organization: imports, extracts, exports, rewrites and undos. */
export function jobRoutes(app: App, { jobs, brand }: JobRoutesOptions): void {
  app.get(
    "/jobs",
    {
      config: { access: "connector" },
      schema: {
        tags: ["jobs"],
        summary: "List jobs (imports, extracts, exports, rewrites, undos), the latest first",
        description: "A connector gets the addresses of files of its own jobs alone, and can cancel only these.",
        ...JOBS_API["GET /api/v1/jobs"],
      },
    },
    async (request, reply) => {
      const { query, caller } = request;
      const { total, jobs: found } = await jobs.list(
        caller.organization.id,
        ownConnectorId(caller),
        { ...query, connectorId: query.connector_id },
        limitsOf(query),
      );
      describePage(request, reply, brand, query, total);
      return found;
    },
  );
}

/** Jobs under `/:id`; removing a job cancels it. */
export function jobObjects(jobs: Jobs): ObjectHandler {
  return {
    read: (id, caller) => jobs.find(caller.organization.id, ownConnectorId(caller), id),
    async remove(id, caller) {
      const canceler = { connectorId: ownConnectorId(caller), isOwner: isOwner(caller) };
      return (await jobs.cancel(caller.organization.id, canceler, id)) ?? false;
    },
  };
}
