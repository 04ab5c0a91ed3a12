import { Refusal } from "@muster/protocol";
import { IMPORTS_API } from "@muster/protocol/api/imports";
import { includesRole } from "../../../domain/members/role.js";
import type { ImportInspector } from "../../../jobs/import/import-inspector.js";
import type { Jobs } from "../../../jobs/jobs.js";
import { uploadOf } from "../../../jobs/parameters/import-parameters.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { ownConnectorId } from "../../auth/caller.js";
import { notFound } from "../not-found.js";
import { requireHttpAddress } from "../require-http-address.js";

export interface ImportHelpRoutesOptions {
  inspector: ImportInspector;
  jobs: Jobs;
}

/** What a person needs before and after an import: a look at the file, and why rows were refused. */
export function importHelpRoutes(app: App, { inspector, jobs }: ImportHelpRoutesOptions): void {
  app.post(
    "/imports/inspect",
    {
      config: { access: "connector", reads: true },
      schema: {
        tags: ["jobs"],
        summary: "Read the beginning of a file and guess what its columns are",
        ...IMPORTS_API["POST /api/v1/imports/inspect"],
      },
    },
    async ({ caller, body }, reply) => {
      if (uploadOf(body.url) === undefined) {
        requireHttpAddress(body.url, "body.url");
        if (caller.kind === "member" && !includesRole(caller.role, "editor")) {
          throw new Refusal("forbidden", "You are a viewer here: only editors and owners may have a file fetched.");
        }
      }
      return inspector.inspect(caller.organization.id, body, abortOnDisconnect(reply));
    },
  );

  app.get(
    "/imports/:id/reasons",
    {
      config: { access: "connector" },
      schema: {
        tags: ["jobs"],
        summary: "Why rows of an import were refused",
        description: "A connector can ask this about its own jobs alone.",
        ...IMPORTS_API["GET /api/v1/imports/{id}/reasons"],
      },
    },
    async ({ caller, params }) => {
      const reasons = await jobs.refusalReasons(caller.organization.id, ownConnectorId(caller), params.id);
      if (!reasons) throw notFound("job", params.id);
      return { reasons };
    },
  );
}
