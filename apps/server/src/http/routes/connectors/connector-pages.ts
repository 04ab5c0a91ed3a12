import { type Brand, Refusal } from "@muster/protocol";
import { CONNECTORS_API } from "@muster/protocol/api/connectors";
import { readManifest } from "@muster/protocol/manifest";
import type { ConnectorEndpoints } from "../../../connectors/connector-endpoints.js";
import type { ConnectorImages } from "../../../connectors/connector-images.js";
import { isButton, onlyReads } from "../../../connectors/connector-pages.js";
import type { Connectors } from "../../../connectors/connectors.js";
import { SecretRedactor } from "../../../domain/connectors/secret-redactor.js";
import type { App } from "../../app-type.js";
import { pageOfAll } from "../pagination.js";
import { mayChange } from "./connector-record.js";
import { findConnector, findOwnConnector, findUsableConnector } from "./find-connector.js";

export interface ConnectorPageRoutesOptions {
  connectors: Connectors;
  endpoints: ConnectorEndpoints;
  images: ConnectorImages;
  brand: Brand;
}

/** The pages and endpoints of a connector that the dashboard shows and calls. */
export function connectorPageRoutes(app: App, options: ConnectorPageRoutesOptions): void {
  const { connectors, endpoints, images, brand } = options;
  app.get(
    "/:id/pages",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The tabs, pages and sign-in screens of a connector",
        ...CONNECTORS_API["GET /api/v1/{id}/pages"],
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findOwnConnector(connectors, params.id, caller);
      const all = endpoints.pages({ connector, namespace: caller.organization.namespace });
      return pageOfAll(request, reply, brand, query, all);
    },
  );

  app.post(
    "/:id/call",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["connectors"],
        summary: "Call an endpoint that the manifest declares: one that loads options, a button, or a JSON endpoint",
        description:
          "The answer of the connector is passed on as it is, to editors without its secret and its private settings. Editors call buttons only, and without a `body`: what an endpoint does with one, such as running a query, it does with the private settings, which only owners may use.",
        ...CONNECTORS_API["POST /api/v1/{id}/call"],
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      const connector = await findUsableConnector(connectors, params.id, caller);
      const { namespace } = caller.organization;
      const manifest = readManifest(connector.manifest);
      const isOwn = mayChange(caller, connector.id);
      const isPlainButton = isButton(manifest, body.path) && Object.keys(body.body ?? {}).length === 0;
      if (!isPlainButton && !isOwn) {
        throw new Refusal(
          "forbidden",
          "Editors call the buttons of a connector only, and without a body of their own.",
        );
      }
      request.changesNothing = onlyReads(manifest, body.path);
      const answer = await endpoints.callDeclared({ connector, namespace }, body.path, body.body);
      const type = answer.headers["content-type"] ?? "application/json";
      // The status is that of the connector, and mostly the declared one.
      return (
        reply
          .status(answer.status as 200)
          .type(type)
          // A connector may answer with a page. At the origin of the dashboard it must not act or ask for a password.
          .header("content-security-policy", "default-src 'none'; sandbox")
          // Some connectors answer with what they were sent: their record with all its secrets.
          .send(isOwn ? answer.content : new SecretRedactor(connector).text(answer.content))
      );
    },
  );

  app.post(
    "/:id/options",
    {
      config: { access: "connector", reads: true },
      schema: {
        tags: ["connectors"],
        summary: "The options that a connector offers for a setting with `loadOptions`",
        description: "The connector gets its record with the values of the form in place of the stored ones.",
        ...CONNECTORS_API["POST /api/v1/{id}/options"],
      },
    },
    async ({ caller, params, body: { path, ...form } }) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      return { options: await endpoints.options({ connector, namespace: caller.organization.namespace }, path, form) };
    },
  );

  app.get(
    "/:id/readme",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The readme of a connector",
        ...CONNECTORS_API["GET /api/v1/{id}/readme"],
      },
    },
    async ({ caller, params }) => {
      const connector = await findConnector(connectors, params.id, caller);
      return { readme: (await endpoints.readme(connector)) ?? null };
    },
  );

  app.get(
    "/:id/image",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "An image that the manifest or the readme of a connector names",
        description: "Owners and the connector itself get images at other addresses too: settings hold such addresses.",
        ...CONNECTORS_API["GET /api/v1/{id}/image"],
      },
    },
    async ({ caller, params, query: { src } }) => {
      const connector = await findConnector(connectors, params.id, caller);
      const image =
        (await images.findNamed(connector, src)) ??
        (src !== undefined && mayChange(caller, connector.id) ? await images.findAny(connector, src) : undefined);
      return { image: image ?? null };
    },
  );
}
