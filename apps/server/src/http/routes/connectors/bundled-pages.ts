import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Brand } from "@muster/protocol";
import type { BundledPages } from "../../../connectors/bundled-pages.js";
import { BUNDLED_PATH } from "../../../domain/connectors/bundled-address.js";
import type { App } from "../../app-type.js";

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
export async function bundledPageRoutes(app: App, pages: BundledPages, brand: Brand): Promise<void> {
  // The server sends notifications to these connectors itself. A body is read before its signature is checked, so a
  // stranger's body must not look like one.
  const notPassedOn = new Set([...NOT_PASSED_ON, brand.headers.smartNotifier.toLowerCase()]);
  await app.register(async (bundled: App) => {
    // Each service sends its webhooks in its own content type, and the connector reads it. Its limit is that of the body.
    bundled.removeAllContentTypeParsers();
    bundled.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    bundled.route({
      method: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
      url: `${BUNDLED_PATH}/:name/*`,
      // The address holds a token, or the credentials of a connector, which the connector checks.
      config: { access: "open" },
      schema: { hide: true },
      handler: async ({ method, url, params, headers, body }, reply) => {
        const name = pages.requireInstalled((params as { name: string }).name);
        const answer = await pages.forward(name, {
          method,
          path: url.slice(`${BUNDLED_PATH}/${name}`.length),
          headers: passedOn(headers, notPassedOn),
          body: body instanceof Readable ? body : undefined,
        });
        // The policy of the dashboard would forbid the scripts of the page.
        return reply
          .status(answer.status)
          .headers(passedOn(answer.headers, notPassedOn))
          .header("content-security-policy", POLICY)
          .send(answer.body);
      },
    });
  });
}

function passedOn(headers: IncomingHttpHeaders, notPassedOn: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || notPassedOn.has(name) ? [] : [[name, String(value)]],
    ),
  );
}
