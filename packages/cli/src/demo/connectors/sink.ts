import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { isObject } from "@muster/protocol";

const CRM_MANIFEST = {
  name: "Old CRM",
  version: "1.0.0",
  description: "Stands for a program of the company that refuses some users, so that failures can be seen.",
  tags: ["outgoing"],
  settings_sections: [],
  subscriptions: [{ url: "/crm", conditions: { channels: { only: ["user:update"] } } }],
};

/** The CRM refuses users of this country. */
const REFUSED_COUNTRY = "Italy";
/** One of so many webhooks is refused. */
const REFUSE_EVERY = 12;

/** A receiver of webhooks and notifications, which takes most of them and refuses some. */
export class Sink {
  received = 0;

  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    void this.#answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  };

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    // Muster adds the credentials of the connector to the address.
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/manifest.json") return { status: 200, body: CRM_MANIFEST };
    const sent = await json(request).catch(() => undefined);
    if (pathname === "/webhooks") {
      this.received += 1;
      const isRefused = this.received % REFUSE_EVERY === 0;
      return isRefused ? { status: 422, body: { message: "The address is not complete." } } : { status: 200, body: {} };
    }
    if (pathname === "/crm") {
      const user = isObject(sent) && isObject(sent.user) ? sent.user : {};
      return user.traits_country === REFUSED_COUNTRY
        ? { status: 422, body: { message: "This country is not known." } }
        : { status: 200, body: {} };
    }
    return { status: 404, body: {} };
  }
}
