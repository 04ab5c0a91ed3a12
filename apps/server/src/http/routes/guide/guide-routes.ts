import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { App } from "../../app-type.js";
import type { Guide } from "./guide.js";
import { GUIDE_POLICY, missingHtml, pageHtml, searchHtml } from "./guide-frame.js";

const FILE = /^[\w-]+(\/[\w-]+)*\.(svg|webp|png|json)$/;
const MAX_WORDS_LENGTH = 200;

/** Serves the guides: a page for each, the images and figures that they refer to, and a search. Pages work without scripts. */
export function guideRoutes(app: App, guide: Guide): void {
  const open = { config: { access: "open" } } as const;

  app.get("/guide", { ...open, schema: { hide: true } }, (_request, reply) => sendPage(reply, guide, ""));

  app.get(
    "/guide/search",
    {
      ...open,
      schema: {
        hide: true,
        querystring: Type.Object({ q: Type.Optional(Type.String({ maxLength: MAX_WORDS_LENGTH })) }),
      },
    },
    async ({ query: { q = "" } }, reply) => {
      const words = q.trim();
      const hits = words === "" ? [] : await guide.find(words);
      return sendHtml(reply, searchHtml(words, hits, await guide.groups()));
    },
  );

  app.get(
    "/guide/*",
    { ...open, schema: { hide: true, params: Type.Object({ "*": Type.String() }) } },
    ({ params: { "*": path } }, reply) =>
      FILE.test(path) ? sendFile(reply, guide, path) : sendPage(reply, guide, path),
  );
}

async function sendPage(reply: FastifyReply, guide: Guide, path: string) {
  const page = await guide.page(path);
  const groups = await guide.groups();
  if (page) return sendHtml(reply, pageHtml(page, groups));
  const words = path
    .slice(0, MAX_WORDS_LENGTH)
    .replace(/\.md$/, "")
    .split(/[\W_]+/)
    .join(" ")
    .trim();
  return sendHtml(reply.status(404), missingHtml(words, await guide.find(words), groups));
}

/** A drawing is shown by a page alone: opened by itself, it may run nothing. */
function sendFile(reply: FastifyReply, guide: Guide, path: string) {
  reply.header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
  return reply.sendFile(path, guide.folder, { maxAge: 0 });
}

function sendHtml(reply: FastifyReply, html: string) {
  return reply
    .type("text/html; charset=utf-8")
    .header("cache-control", "no-cache")
    .header("content-security-policy", GUIDE_POLICY)
    .send(html);
}
