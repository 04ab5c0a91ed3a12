import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { App } from "../../app-type.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import { requireHttpAddress } from "../require-http-address.js";

/** What somebody shares: a page, and a text about it. */
interface Shared {
  url: string;
  text: string;
}

/** Where each service lets its visitors share a page. */
const SERVICES: Record<string, (shared: Shared) => string> = {
  facebook: ({ url }) => `https://www.facebook.com/sharer/sharer.php?${new URLSearchParams({ u: url })}`,
  twitter: ({ url, text }) => `https://twitter.com/intent/tweet?${new URLSearchParams({ url, text })}`,
  linkedin: ({ url }) => `https://www.linkedin.com/sharing/share-offsite/?${new URLSearchParams({ url })}`,
  whatsapp: ({ url, text }) => `https://wa.me/?${new URLSearchParams({ text: `${text} ${url}`.trim() })}`,
  email: ({ url, text }) => `mailto:?subject=${encodeURIComponent(text)}&body=${encodeURIComponent(url)}`,
};

const given = Type.Optional(Type.String({ maxLength: 4_096 }));

/** Where the old browser library opens a window to share a page. It leads to one of the services and nowhere else. */
export function shareRoutes(app: App, limits: PageLimits): void {
  app.get(
    "/intent/share/:provider",
    {
      config: { access: "anyone" },
      schema: {
        hide: true,
        params: Type.Object({ provider: Type.String() }),
        querystring: Type.Object({ url: given, title: given, text: given }, { additionalProperties: true }),
      },
    },
    async (request, reply) => {
      limits.countAddress(request);
      const { params, query } = request;
      const address = Object.hasOwn(SERVICES, params.provider) ? SERVICES[params.provider] : undefined;
      if (!address) {
        const names = Object.keys(SERVICES).join(", ");
        throw new Refusal("not_found", `Pages are shared with ${names}, not with "${params.provider.slice(0, 100)}".`);
      }
      const { url = "", title = "", text = title } = query;
      requireHttpAddress(url, "query.url");
      return reply.redirect(address({ url, text }), 302);
    },
  );
}
