import { typeOfId } from "@muster/protocol";
import { JOBS_API } from "@muster/protocol/api/jobs";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { SingleSends } from "../../../jobs/export/single-sends.js";
import type { App } from "../../app-type.js";
import { findUsableConnector } from "../connectors/find-connector.js";
import { notFound } from "../not-found.js";

export interface SingleSendRoutesOptions {
  subjects: Subjects;
  connectors: Connectors;
  singleSends: SingleSends;
}

/** Sending one user or account to a connector. */
export function singleSendRoutes(app: App, { subjects, connectors, singleSends }: SingleSendRoutesOptions): void {
  app.post(
    "/:id/send",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Send a user or account to a connector",
        description:
          "The connector gets a notification with `is_export`, whatever its filters say. A connector may send to itself only.",
        ...JOBS_API["POST /api/v1/{id}/send"],
      },
    },
    async ({ caller, params, body }, reply) => {
      const subjectType = typeOfId(params.id) === "account" ? "account" : "user";
      const profile = await subjects.find(subjectType, caller.organization.id, params.id);
      if (!profile) throw notFound("user or account", params.id);
      await singleSends.send(profile, await findUsableConnector(connectors, body.connector_id, caller));
      reply.status(202);
      return { queued: true };
    },
  );
}
