import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import { readTimestamp } from "../../../domain/entries/admit-entry.js";
import { uploadOf } from "../../../jobs/import/import-parameters.js";
import type { Imports } from "../../../jobs/import/imports.js";
import type { App } from "../../app-type.js";
import { connectorIdOf } from "../../auth/caller.js";
import { requireHttpAddress } from "../require-http-address.js";
import { ColumnsOfImport, DelimiterOfCsv, readColumns } from "./import-columns.js";
import { JobRecord } from "./job-record.js";

const Body = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 4_096, description: "Where the file is, or the address of an upload." }),
  format: Type.Enum(["json", "csv"], {
    description: "JSON is a record a line, or an array of records. Gzip is recognized by its content.",
  }),
  delimiter: Type.Optional(DelimiterOfCsv),
  header: Type.Boolean({
    default: true,
    description: "Whether the first row of a CSV file has the names of the columns.",
  }),
  columns: Type.Optional(ColumnsOfImport),
  overwrite: Type.Boolean({ default: false, description: "Whether values of the file replace existing ones." }),
  notify: Type.Boolean({ default: false, description: "Notify connectors of each imported record." }),
  emit_event: Type.Boolean({ default: false, description: "Emit an `Imported User` event per user." }),
  name: Type.Optional(Type.String({ maxLength: 500, description: "Default: the name of the file." })),
  description: Type.String({ default: "", maxLength: 5_000 }),
  traits: Type.Record(Type.String(), Type.Unknown(), {
    default: {},
    description: "Attributes of every record; those of the file win.",
  }),
  schedule_at: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: "When to run; default: now." })),
  dry_run: Type.Boolean({
    default: false,
    description: "Change nothing; only count what would be new, updated and refused.",
  }),
});

/** Imports of files: each call schedules a job. */
export function importRoutes(app: App, imports: Imports): void {
  for (const object of ["users", "accounts", "events"] as const) {
    app.post(
      `/import/${object}`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["jobs"],
          summary: `Import a file of ${object}`,
          description:
            "Creates new objects and updates known ones. The job is completed once the last record is searchable.",
          body: Body,
          response: { 201: JobRecord },
        },
      },
      async ({ caller, body }, reply) => {
        if (uploadOf(body.url) === undefined) requireHttpAddress(body.url, "body.url");
        const { url, overwrite, notify, traits, name, description } = body;
        const job = await imports.schedule(caller.organization.id, connectorIdOf(caller), {
          object,
          url,
          overwrite,
          notify,
          emitEvent: body.emit_event,
          traits,
          dryRun: body.dry_run,
          csv: body.format === "csv" ? { delimiter: body.delimiter ?? ",", header: body.header } : undefined,
          columns: readColumns(object, body.columns),
          name,
          description,
          dueAt: readSchedule(body.schedule_at),
        });
        reply.status(201);
        return job;
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
