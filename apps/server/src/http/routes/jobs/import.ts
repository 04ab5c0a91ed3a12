import { Refusal } from "@muster/protocol";
import { IMPORTS_API, type NewImport } from "@muster/protocol/api/imports";
import { readTimestamp } from "../../../domain/entries/admit-entry.js";
import type { CsvFormat } from "../../../domain/jobs/csv.js";
import type { Imports } from "../../../jobs/import/imports.js";
import { uploadOf } from "../../../jobs/parameters/import-parameters.js";
import type { App } from "../../app-type.js";
import { connectorIdOf } from "../../auth/caller.js";
import { requireHttpAddress } from "../require-http-address.js";
import { readColumns } from "./import-columns.js";

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
          ...IMPORTS_API[`POST /api/v1/import/${object}`],
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
          csv: body.format === "csv" ? csvFormatOf(body) : undefined,
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

function csvFormatOf({ delimiter = ",", header, csv_formulas: formulas }: NewImport): CsvFormat {
  return { delimiter, header, ...(formulas ? { formulas } : {}) };
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
