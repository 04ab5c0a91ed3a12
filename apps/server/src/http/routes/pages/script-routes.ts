import { PAGES_API } from "@muster/protocol/api/pages";
import type { App } from "../../app-type.js";
import type { BrowserScript } from "./browser-script.js";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * `/js/<version>/muster.js` of a released version never changes, and browsers keep it for a year. `/js/latest/muster.js`, and a
 * version that was not released, they keep for five minutes.
 */
export function scriptRoutes(app: App, script: BrowserScript): void {
  app.get(
    "/js/:version/muster.js",
    {
      config: { access: "open" },
      schema: {
        tags: ["browser"],
        summary: "The script of the browser library",
        ...PAGES_API["GET /js/{version}/muster.js"],
      },
    },
    async ({ params: { version } }, reply) => {
      const { text, isFixed } = await script.serve(version);
      const age = isFixed ? `max-age=${YEAR_SECONDS}, immutable` : "max-age=300";
      return reply
        .headers({
          "content-type": "text/javascript; charset=utf-8",
          "cache-control": `public, ${age}`,
          // Pages of all sites load the script. It is the same for everybody.
          "access-control-allow-origin": "*",
          "cross-origin-resource-policy": "cross-origin",
        })
        .send(text);
    },
  );
}
