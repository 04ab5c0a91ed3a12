import { CONNECTORS_API } from "@muster/protocol/api/connectors";
import type { ConnectorFrames } from "../../../connectors/connector-frames.js";
import type { Connectors } from "../../../connectors/connectors.js";
import { browserUrl, withCredentials } from "../../../domain/connectors/connector-url.js";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { App } from "../../app-type.js";
import { findConnector } from "./find-connector.js";
import { framePage } from "./frame-page.js";

export interface ConnectorFrameRoutesOptions {
  connectors: Connectors;
  frames: ConnectorFrames;
  addresses: Addresses;
}

/** Pages of connectors in frames of the dashboard. */
export function connectorFrameRoutes(app: App, { connectors, frames, addresses }: ConnectorFrameRoutesOptions): void {
  app.post(
    "/:id/frames",
    {
      // The page learns the secret of the connector, and with it everybody who opens the page.
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "The address of a frame that shows a page of a connector",
        description: "The address works for five minutes, without credentials.",
        ...CONNECTORS_API["POST /api/v1/{id}/frames"],
      },
    },
    async ({ caller, params, body: { path } }) => {
      const connector = await findConnector(connectors, params.id, caller);
      const organization = addresses.organizationHost(caller.organization.namespace);
      return { url: `/api/v1/frames/${frames.create({ connector, path, organization })}` };
    },
  );

  app.get(
    "/frames/:ticket",
    {
      config: { access: "open" },
      schema: {
        tags: ["connectors"],
        summary: "A page of a connector in a frame that keeps it apart from the dashboard",
        ...CONNECTORS_API["GET /api/v1/frames/{ticket}"],
      },
    },
    async ({ params, host, protocol }, reply) => {
      const { connector, path, organization } = await frames.open(params.ticket);
      // The address at which this browser sees the server need not be the public one.
      const ownOrigin = `${protocol}://${host}`;
      const url = withCredentials(browserUrl(connector, path, ownOrigin), connector, organization);
      const { html, policy } = framePage(url, [ownOrigin, new URL(addresses.publicUrl).origin]);
      return reply
        .headers({
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policy,
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
        })
        .send(html);
    },
  );
}
