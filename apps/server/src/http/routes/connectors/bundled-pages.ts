import type { IncomingHttpHeaders } from "node:http";
import type { BundledPages } from "../../../connectors/bundled-pages.js";
import { BUNDLED_PATH } from "../../../domain/connectors/bundled-address.js";
import type { App } from "../../app-type.js";

/** As large as the connectors accept. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

// Of one connection, or made anew for the next one. Cookies are those of the dashboard, which no connector may have.
const NOT_PASSED_ON = new Set([
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

// The pages are at the origin of the dashboard. Without an origin of their own they reach neither it nor its cookies.
const POLICY = "sandbox allow-scripts allow-forms allow-popups allow-downloads";

/** Pages and webhooks of the connectors that this server runs itself. */
export async function bundledPageRoutes(app: App, pages: BundledPages): Promise<void> {
  await app.register(async (bundled: App) => {
    // Each service sends its webhooks in its own content type, and the connector reads it.
    bundled.removeAllContentTypeParsers();
    bundled.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    bundled.route({
      method: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
      url: `${BUNDLED_PATH}/:name/*`,
      // The address holds a token, or the credentials of a connector, which the connector checks.
      config: { access: "open" },
      schema: { hide: true },
      handler: async ({ method, url, params, headers, body }, reply) => {
        const { name } = params as { name: string };
        const answer = await pages.forward(name, {
          method,
          path: url.slice(`${BUNDLED_PATH}/${name}`.length),
          headers: passedOn(headers),
          body: Buffer.isBuffer(body) ? body : undefined,
        });
        // The policy of the dashboard would forbid the scripts of the page.
        return reply
          .status(answer.status)
          .headers(passedOn(answer.headers))
          .header("content-security-policy", POLICY)
          .send(answer.body);
      },
    });
  });
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || NOT_PASSED_ON.has(name) ? [] : [[name, String(value)]],
    ),
  );
}
