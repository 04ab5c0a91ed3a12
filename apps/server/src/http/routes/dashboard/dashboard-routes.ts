import fastifyStatic from "@fastify/static";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { App } from "../../app-type.js";
import type { DashboardFiles } from "./dashboard-files.js";

/** Every address that the dashboard's own router understands. The rest of the server keeps its addresses. */
const PAGES = ["/", "/sign-in", "/sign-in/*", "/invitations/*", "/o/*"];

/** Serves the dashboard: one page for all its addresses, and its files. */
export async function dashboardRoutes(app: App, files: DashboardFiles): Promise<void> {
  for (const path of PAGES) {
    app.get(path, { config: { access: "open" }, schema: { hide: true } }, (_request, reply) => sendPage(reply, files));
  }
  // The dashboard says that there is nothing at an address, with ways to go on.
  app.notFoundPage = (reply) => sendPage(reply, files);
  app.get("/icon.svg", { config: { access: "open" }, schema: { hide: true } }, async (_request, reply) =>
    reply.type("image/svg+xml").send(await files.icon()),
  );
  await app.register(fastifyStatic, { root: files.packageFolder, serve: false, preCompressed: true });
  app.get(
    "/assets/:file",
    {
      config: { access: "open" },
      schema: { hide: true, params: Type.Object({ file: Type.String({ pattern: "^[\\w-]+(\\.[\\w-]+)*$" }) }) },
    },
    ({ params: { file } }, reply) =>
      // The names of the files contain a hash of their contents.
      reply.sendFile(`dist/assets/${file}`, { immutable: true, maxAge: "365d" }),
  );
}

async function sendPage(reply: FastifyReply, files: DashboardFiles) {
  const page = await files.page();
  reply.type("text/html; charset=utf-8").header("cache-control", "no-store");
  if (!page) {
    const isComing = files.isBeingBuilt();
    if (isComing) reply.header("refresh", "2").header("retry-after", "2");
    return reply.status(503).send(isComing ? BEING_BUILT : NOT_BUILT);
  }
  return reply.header("content-security-policy", contentSecurityPolicy(page.nonce)).send(page.html);
}

/** Nothing from other hosts, no inline scripts. Pages of connectors are in frames of ours, which have a policy of their own. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const page = (text: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Muster</title></head><body><p>${text}</p></body></html>`;
const BEING_BUILT = page("The dashboard is being built. This page opens it as soon as it is ready.");
const NOT_BUILT = page("The dashboard is not built. Run <code>npm run build</code>, then load this page again.");
