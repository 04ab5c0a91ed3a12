import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import { COLUMN_ROLES } from "../../../domain/jobs/column-mapping.js";
import { includesRole } from "../../../domain/members/role.js";
import type { ImportInspector } from "../../../jobs/import/import-inspector.js";
import { uploadOf } from "../../../jobs/import/import-parameters.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { App } from "../../app-type.js";
import { ownConnectorId } from "../../auth/caller.js";
import { abortOnDisconnect } from "../abort-on-disconnect.js";
import { notFound } from "../not-found.js";
import { requireHttpAddress } from "../require-http-address.js";
import { DelimiterOfCsv } from "./import-columns.js";

const InspectedFile = Type.Object(
  {
    format: Type.Enum(["csv", "json"]),
    delimiter: Type.Optional(Type.String()),
    header: Type.Optional(Type.Boolean({ description: "Whether the first row has the names of the columns." })),
    columns: Type.Array(
      Type.Object({
        column: Type.String(),
        type: Type.String({ description: "The type that all values of the sample have." }),
        samples: Type.Array(Type.String()),
        filled: Type.Integer({ description: "How many rows of the sample have a value." }),
        suggestion: Type.Object({ to: Type.Enum([...COLUMN_ROLES]), name: Type.String(), type: Type.String() }),
        known_type: Type.Optional(Type.String({ description: "The type that the attribute has already." })),
        conflict: Type.Optional(Type.String({ description: "Why rows would be refused." })),
      }),
    ),
    rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Null()])), { description: "The first rows." }),
    sampled_rows: Type.Integer(),
    is_whole: Type.Boolean({ description: "Whether the sample is the whole file." }),
  },
  { component: "InspectedFile", description: "What the beginning of a file shows." },
);

const RefusalReasons = Type.Object({
  reasons: Type.Array(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      rows: Type.Integer({ description: "How many rows were refused for it." }),
      first_line: Type.Integer(),
    }),
    { description: "The most frequent first, 20 at most." },
  ),
});

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
        body: Type.Object({
          url: Type.String({
            minLength: 1,
            maxLength: 4_096,
            description: "Where the file is, or the address of an upload.",
          }),
          object: Type.Enum(["users", "accounts", "events"], { default: "users" }),
          format: Type.Optional(Type.Enum(["csv", "json"], { description: "Default: it is guessed." })),
          delimiter: Type.Optional(DelimiterOfCsv),
          header: Type.Optional(Type.Boolean({ description: "Default: it is guessed." })),
        }),
        response: { 200: InspectedFile },
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
        params: Type.Object({ id: Type.String({ description: "The id of the job." }) }),
        response: { 200: RefusalReasons },
      },
    },
    async ({ caller, params }) => {
      const reasons = await jobs.refusalReasons(caller.organization.id, ownConnectorId(caller), params.id);
      if (!reasons) throw notFound("job", params.id);
      return { reasons };
    },
  );
}
