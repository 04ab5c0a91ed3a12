import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import { listEvents } from "../../../audience/events.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { Questions } from "../../../storage/questions/questions.js";
import type { App } from "../../app-type.js";
import { OptionalPageQuery, pageOfAll } from "../pagination.js";

const EventAnswer = Type.Object({
  name: Type.String(),
  properties: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  count: Type.Integer(),
  created_at: Type.String(),
  updated_at: Type.String(),
  emitted: Type.Boolean({ description: "Whether the platform itself makes it." }),
});

export interface EventBootstrapOptions {
  database: Database;
  questions: Questions;
  brand: Brand;
}

/** The events of an organization, for whoever builds a query about them. */
export function eventBootstrapRoutes(app: App, { brand, ...engines }: EventBootstrapOptions): void {
  for (const path of ["/search/event/bootstrap", "/search/events/bootstrap"]) {
    app.get(
      path,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: "Every event that was seen, with its properties and how often",
          querystring: OptionalPageQuery,
          response: { 200: Type.Array(EventAnswer) },
        },
      },
      async (request, reply) => {
        const all = await listEvents(engines, request.caller.organization.id);
        return pageOfAll(request, reply, brand, request.query, all);
      },
    );
  }
}
