import type { Brand } from "@muster/protocol";
import { ATTRIBUTES_API } from "@muster/protocol/api/attributes";
import type { AttributeFigures } from "../../../audience/attributes/attribute-figures.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";

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
          ...ATTRIBUTES_API[`GET /api/v1/${subjectType}s/attributes`],
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
