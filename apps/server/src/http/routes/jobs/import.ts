import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import { readTimestamp } from "../../../domain/entries/admit-entry.js";
import { type ImportParameters, uploadOf } from "../../../jobs/import/import-parameters.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { App } from "../../app-type.js";
import { connectorIdOf } from "../../auth/caller.js";
import { requireHttpAddress } from "../require-http-address.js";
import { JobRecord, jobRecord } from "./job-record.js";

const Body = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 4_096, description: "Where the file is, or the address of an upload." }),
  format: Type.Enum(["json"], { description: "A record a line, or a JSON array of records; gzip is told by content." }),
  overwrite: Type.Boolean({ default: false, description: "Whether the import wins over existing data." }),
  notify: Type.Boolean({ default: false, description: "Tell connectors of each imported record." }),
  emit_event: Type.Boolean({ default: false, description: "Emit an `Imported User` event per user." }),
  name: Type.Optional(Type.String({ maxLength: 500, description: "Default: the name of the file." })),
  description: Type.String({ default: "", maxLength: 5_000 }),
  traits: Type.Record(Type.String(), Type.Unknown(), { default: {}, description: "Attributes of every record." }),
  schedule_at: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: "When to run; default: now." })),
  dry_run: Type.Boolean({ default: false, description: "Only tell what would happen: new, updated, refused." }),
});

/** Imports of files: each call schedules a job. */
export function importRoutes(app: App, jobs: Jobs): void {
  for (const object of ["users", "accounts", "events"] as const) {
    app.post(
      `/import/${object}`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["jobs"],
          summary: `Import a file of ${object}`,
          description: "Creates what is new and updates what is there. Completed once the last record is searchable.",
          body: Body,
          response: { 201: JobRecord },
        },
      },
      async ({ caller, body }, reply) => {
        if (uploadOf(body.url) === undefined) requireHttpAddress(body.url, "body.url");
        const parameters: ImportParameters = {
          url: body.url,
          overwrite: body.overwrite,
          notify: body.notify,
          emitEvent: body.emit_event,
          traits: body.traits,
          dryRun: body.dry_run,
        };
        const job = await jobs.schedule(caller.organization.id, {
          type: "import",
          object,
          name: body.name || fileName(body.url),
          description: body.description,
          connectorId: connectorIdOf(caller),
          parameters,
          dueAt: readSchedule(body.schedule_at),
        });
        reply.status(201);
        return jobRecord(job, jobs.links, Date.now());
      },
    );
  }
}

function readSchedule(given: string | number | undefined): Date | undefined {
  if (given === undefined) return undefined;
  const time = readTimestamp(given);
  if (time !== undefined) return new Date(time);
  const message = "is not a date";
  throw new Refusal("invalid_parameter", `body.schedule_at ${message}.`, {
    details: [{ path: "body.schedule_at", message }],
  });
}

function fileName(url: string): string {
  if (uploadOf(url) !== undefined) return "upload";
  const last = new URL(url).pathname.split("/").findLast((part) => part !== "") ?? "";
  try {
    return decodeURIComponent(last).slice(0, 500) || new URL(url).host;
  } catch {
    return last.slice(0, 500);
  }
}
