import type { App } from "../../app-type.js";
import { documentOf } from "../../reference/openapi.js";
import { renderReference } from "../../reference/reference-page.js";

/** The API reference for people, made from the document for machines. */
export function referenceRoutes(app: App): void {
  let page: string | undefined;

  app.get(
    "/docs",
    { config: { access: "open" }, schema: { tags: ["operations"], summary: "The API reference as a page" } },
    (_request, reply) => {
      // Routes do not change once the server runs, so the first reader's page serves all.
      page ??= renderReference(documentOf(app));
      return reply.type("text/html; charset=utf-8").send(page);
    },
  );

  app.get("/api/v1/docs", { config: { access: "open" }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect("/docs", 302),
  );
}
