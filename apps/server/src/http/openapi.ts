import swagger from "@fastify/swagger";
import type { App } from "./app-type.js";

/** Gathers the schemas of the routes registered after it into an OpenAPI document. */
export async function describeApi(app: App, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Muster",
        version,
        description: "Users, accounts, events, segments and connectors of an organization.",
      },
    },
  });
  app.get(
    "/api/v1/openapi.json",
    { config: { access: "open" }, schema: { tags: ["operations"], summary: "This document" } },
    () => app.swagger(),
  );
}
