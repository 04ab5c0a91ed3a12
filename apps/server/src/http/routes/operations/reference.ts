import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import swaggerUi from "@fastify/swagger-ui";
import { OPERATIONS_API } from "@muster/protocol/api/operations";
import type { FastifyReply } from "fastify";
import type { App } from "../../app-type.js";
import type { Reference } from "../../reference/reference.js";
import type { ReferenceFormat } from "../../reference/write-reference.js";

// Swagger UI would look for its files beside its code, which is in our bundle.
const FILES = join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui")), "static");

const TYPES: Record<ReferenceFormat, string> = { json: "application/json; charset=utf-8", yaml: "application/x-yaml" };

/**
 * The OpenAPI document, and the API reference for people: Swagger UI on the document, with all its files served by this
 * server.
 */
export async function referenceRoutes(app: App, reference: Reference): Promise<void> {
  const send = async (reply: FastifyReply, format: ReferenceFormat) =>
    reply.type(TYPES[format]).send(await reference.read(format));

  app.get(
    "/api/v1/openapi.json",
    {
      config: { access: "open" },
      schema: {
        tags: ["operations"],
        summary: "The API as an OpenAPI document",
        ...OPERATIONS_API["GET /api/v1/openapi.json"],
      },
    },
    (_request, reply) => send(reply, "json"),
  );

  await app.register(async (page: App) => {
    page.decorate("pluginAccess", "open");
    await page.register(swaggerUi, {
      routePrefix: "/docs",
      baseDir: FILES,
      logo: { type: "image/svg+xml", content: await readFile(join(FILES, "logo.svg")) },
      staticCSP: CONTENT_SECURITY_POLICY,
      theme: { title: "Muster API reference" },
      // The layout without the bar that loads other documents.
      // Swagger UI would write the document itself, on the main thread.
      uiHooks: {
        preHandler: async (request, reply) => {
          if (request.routeOptions.url === "/docs/json") return send(reply, "json");
          if (request.routeOptions.url === "/docs/yaml") return send(reply, "yaml");
        },
      },
      uiConfig: { layout: "BaseLayout", tagsSorter: "alpha", filter: true, defaultModelsExpandDepth: 0 },
    });
  });

  app.get("/api/v1/docs", { config: { access: "open" }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect("/docs", 302),
  );
}

// Nothing from other hosts, and no scripts but files of this server. Swagger UI sets styles on elements.
const CONTENT_SECURITY_POLICY = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'self'",
  "frame-ancestors": "'self'",
};
