import { Refusal, typeOfId } from "@muster/protocol";
import { REVERTS_API } from "@muster/protocol/api/reverts";
import type { Connectors } from "../../../connectors/connectors.js";
import { readTimestamp } from "../../../domain/entries/admit-entry.js";
import type { Reverts } from "../../../jobs/revert/reverts.js";
import type { App } from "../../app-type.js";
import { connectorIdOf } from "../../auth/caller.js";
import { findConnector } from "../connectors/find-connector.js";
import { notFound } from "../not-found.js";

export interface RevertRoutesOptions {
  connectors: Connectors;
  reverts: Reverts;
}

/** Takes back what a job, or a connector in a range of time, wrote: each call schedules a job. */
export function revertRoutes(app: App, { connectors, reverts }: RevertRoutesOptions): void {
  app.post(
    "/:id/revert",
    {
      config: { access: "operator" },
      schema: {
        tags: ["jobs"],
        summary: "Undo an import, or what a connector wrote in a range of time",
        description:
          "Values return to what they were, with the time and the writer that they had; what others have written since stays. Users, accounts and events that exist only because of it are removed. An undo can be undone: give its id.",
        ...REVERTS_API["POST /api/v1/{id}/revert"],
      },
    },
    async ({ caller, params: { id }, body }, reply) => {
      const { dry_run: dryRun, from, to } = body;
      const organizationId = caller.organization.id;
      const request = { connectorId: connectorIdOf(caller), dryRun };
      reply.status(201);
      if (typeOfId(id) === "job") {
        if (from !== undefined || to !== undefined) {
          throw new Refusal("invalid_parameter", "A job is undone as a whole: from and to are for connectors.");
        }
        const job = await reverts.revertJob(organizationId, id, request);
        if (!job) throw notFound("job", id);
        return job;
      }
      const connector = await findConnector(connectors, id, caller);
      if (from === undefined) throw invalidTime("from", "is missing: say since when to undo what the connector wrote");
      const range = { from: readTime("from", from), to: to === undefined ? new Date() : readTime("to", to) };
      if (range.from > range.to) throw invalidTime("from", "is later than to");
      return reverts.revertConnector(organizationId, connector, range, request);
    },
  );
}

function readTime(name: string, given: string | number): Date {
  const time = readTimestamp(given);
  if (time === undefined) throw invalidTime(name, "is not a date");
  // What will be written cannot be taken back, and a clock that is a little ahead means now.
  return new Date(Math.min(time, Date.now()));
}

function invalidTime(name: string, message: string): Refusal {
  return new Refusal("invalid_parameter", `body.${name} ${message}.`, { details: [{ path: `body.${name}`, message }] });
}
