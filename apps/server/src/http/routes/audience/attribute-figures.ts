import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import type { AttributeFigures } from "../../../audience/attribute-figures.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";

const OptionalText = Type.Union([Type.String(), Type.Null()]);

const AttributeFigure = Type.Object(
  {
    key: Type.String({ description: "As in reports." }),
    name: Type.String({ description: "Without the prefix of reports." }),
    type: Type.Enum(["boolean", "date", "numeric", "string", "array", "json"]),
    group: Type.Union([Type.String(), Type.Null()], { description: "What is before the `/` of the name." }),
    standard: Type.Boolean({ description: "Whether it is a standard field, whose definition is fixed." }),
    visible: Type.Boolean(),
    track_changes: Type.Boolean(),
    source: Type.Union(
      [Type.Object({ connector_id: Type.String(), job_id: Type.Union([Type.String(), Type.Null()]) }), Type.Null()],
      { description: "The connector that wrote the first value, and the import when it was one." },
    ),
    count: Type.Union([Type.Integer(), Type.Null()], {
      description: "How many users or accounts have a value; null when that is not counted.",
    }),
    first_seen_at: OptionalText,
    last_seen_at: Type.Union([Type.String(), Type.Null()], {
      description: "When a record carried it last, to the minute.",
    }),
  },
  { component: "AttributeFigure", description: "A field of reports, and how many have a value of it." },
);

export interface AttributeFigureRoutesOptions {
  attributeFigures: AttributeFigures;
  brand: Brand;
  noteIncomplete: NoteIncomplete;
}

/** Routes for how much is known about users and accounts. */
export function attributeFigureRoutes(app: App, options: AttributeFigureRoutesOptions): void {
  const { attributeFigures, brand, noteIncomplete } = options;
  for (const subjectType of ["user", "account"] as const) {
    app.get(
      `/${subjectType}s/attributes`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Every field of ${subjectType} reports, with how many ${subjectType}s have a value`,
          description: `The numbers are exact at \`position\`, which may be 2 seconds behind while records arrive. ${INCOMPLETE}`,
          response: {
            200: Type.Object({
              total: Type.Integer({ description: `How many ${subjectType}s there are.` }),
              position: Type.String({ description: "The position up to which records are counted at least." }),
              age_ms: Type.Integer({ description: "How many milliseconds ago that was still all there was." }),
              attributes: Type.Array(AttributeFigure),
            }),
          },
        },
      },
      async (request, reply) => {
        await noteIncomplete(request, reply);
        const figures = await attributeFigures.read(request.caller.organization.id, subjectType);
        reply.header(brand.headers.position, figures.position);
        return figures;
      },
    );
  }
}
