import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { anyValueAs } from "@muster/protocol/api/schema";
import { AttributeValue } from "@muster/protocol/api/values";
import { Type } from "typebox";
import type { ConnectorEndpoints } from "../../../connectors/connector-endpoints.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { App } from "../../app-type.js";
import { pageOfAll } from "../pagination.js";
import { findConnector, findOwnConnector, findUsableConnector } from "./find-connector.js";

export interface ConnectorPageRoutesOptions {
  connectors: Connectors;
  endpoints: ConnectorEndpoints;
  brand: Brand;
}

const Params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });

const PageRecord = Type.Object({
  kind: Type.String({ description: "`tab`, `html`, `admin` or `oauth`." }),
  title: Type.Union([Type.String(), Type.Null()]),
  url: Type.String({ description: "Contains the credentials of the connector: do not show it to end users." }),
  size: Type.Union([Type.String(), Type.Null()]),
  editable: Type.Boolean(),
  setup: Type.Boolean(),
  workspace: Type.Boolean(),
});

const OfferedOption = Type.Object({
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  label: Type.String(),
  group: Type.Union([Type.String(), Type.Null()], { description: "The label of the group that it is in." }),
});

const FormValues = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

/** The pages and endpoints of a connector that the dashboard shows and calls. */
export function connectorPageRoutes(app: App, { connectors, endpoints, brand }: ConnectorPageRoutesOptions): void {
  app.get(
    "/:id/pages",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The tabs, pages and sign-in screens of a connector",
        params: Params,
        querystring: PageQuery,
        response: { 200: Type.Array(PageRecord) },
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
        description: "The answer of the connector is passed on as it is.",
        params: Params,
        body: Type.Object({
          path: Type.String({ minLength: 1, maxLength: 2_048, description: "The path as the manifest declares it." }),
          body: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "What the endpoint gets." })),
        }),
        response: { 200: anyValueAs(AttributeValue, { description: "The answer of the connector." }) },
      },
    },
    async ({ caller, params, body }, reply) => {
      const connector = await findUsableConnector(connectors, params.id, caller);
      const { namespace } = caller.organization;
      const answer = await endpoints.callDeclared({ connector, namespace }, body.path, body.body);
      const type = answer.headers["content-type"] ?? "application/json";
      // The status is that of the connector, and mostly the declared one.
      return (
        reply
          .status(answer.status as 200)
          .type(type)
          // A connector may answer with a page. At the origin of the dashboard it must not act or ask for a password.
          .header("content-security-policy", "default-src 'none'; sandbox")
          .send(answer.content)
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
        params: Params,
        body: Type.Object({
          path: Type.String({ minLength: 1, maxLength: 2_048, description: "The path in `loadOptions`." }),
          search: Type.Optional(Type.String({ maxLength: 1_000, description: "What somebody searches for." })),
          settings: FormValues("Settings that are not saved yet."),
          private_settings: FormValues("Private settings that are not saved yet."),
        }),
        response: { 200: Type.Object({ options: Type.Array(OfferedOption) }) },
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
        params: Params,
        response: {
          200: Type.Object({
            readme: Type.Union([Type.String(), Type.Null()], {
              description: "Markdown; null when there is none or the connector does not serve it now.",
            }),
          }),
        },
      },
    },
    async ({ caller, params }) => {
      const connector = await findConnector(connectors, params.id, caller);
      return { readme: (await endpoints.readme(connector)) ?? null };
    },
  );
}
