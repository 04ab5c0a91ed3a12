import { Refusal } from "@muster/protocol";
import { readManifest } from "@muster/protocol/manifest";
import { Type } from "typebox";
import { type CallEndpointOptions, callEndpoint } from "../../../connectors/call-endpoint.js";
import { connectorPages, isCallable } from "../../../connectors/connector-pages.js";
import { OutboundError } from "../../../outbound/outbound-error.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { App } from "../../app-type.js";
import { findOwnConnector } from "./find-connector.js";

export interface ConnectorPageRoutesOptions extends CallEndpointOptions {
  connectors: ConnectorStore;
}

const Params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });

const PageRecord = Type.Object({
  kind: Type.String({ description: "`tab`, `html`, `admin` or `oauth`." }),
  title: Type.Union([Type.String(), Type.Null()]),
  url: Type.String({ description: "With the connector's credentials: not for end users." }),
  size: Type.Union([Type.String(), Type.Null()]),
  editable: Type.Boolean(),
  setup: Type.Boolean(),
  workspace: Type.Boolean(),
});

/** What the dashboard shows and calls of a connector. */
export function connectorPageRoutes(app: App, { connectors, ...call }: ConnectorPageRoutesOptions): void {
  app.get(
    "/:id/pages",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The tabs, pages and sign-in screens of a connector",
        params: Params,
        response: { 200: Type.Array(PageRecord) },
      },
    },
    async ({ caller, params }) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      return connectorPages(connector, call.addresses.organizationHost(caller.organization.namespace));
    },
  );

  app.post(
    "/:id/call",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Call an endpoint that the manifest declares: what loads options, a button, a JSON endpoint",
        description: "The answer is the connector's own, whatever it is.",
        params: Params,
        body: Type.Object({
          path: Type.String({ minLength: 1, maxLength: 2_048, description: "As the manifest declares it." }),
          body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        }),
      },
    },
    async ({ caller, params, body }, reply) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      if (connector.sourceUrl === null || !isCallable(readManifest(connector.manifest), body.path)) {
        throw new Refusal("not_found", `The connector declares no endpoint "${body.path.slice(0, 200)}".`);
      }
      try {
        const listed = { connector, namespace: caller.organization.namespace };
        const answer = await callEndpoint(call, listed, body.path, body.body ? { body: body.body } : {});
        const type = answer.headers["content-type"] ?? "application/json";
        return reply.status(answer.status).type(type).send(answer.content);
      } catch (cause) {
        if (!(cause instanceof OutboundError)) throw cause;
        throw new Refusal("unavailable", `The connector does not answer: ${cause.message}`, { retryAfter: 10, cause });
      }
    },
  );
}
