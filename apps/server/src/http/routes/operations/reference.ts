import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import swaggerUi from "@fastify/swagger-ui";
import type { App } from "../../app-type.js";

// Swagger UI would look for its files beside its code, which is in our bundle.
const FILES = join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui")), "static");

/** The API reference for people: Swagger UI on the OpenAPI document, with all its files served by this server. */
export async function referenceRoutes(app: App): Promise<void> {
  await app.register(async (page: App) => {
    page.decorate("pluginAccess", "open");
    await page.register(swaggerUi, {
      routePrefix: "/docs",
      baseDir: FILES,
      logo: { type: "image/svg+xml", content: await readFile(join(FILES, "logo.svg")) },
      staticCSP: CONTENT_SECURITY_POLICY,
      theme: { title: "Muster API reference" },
      // The layout without the bar that loads other documents.
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
