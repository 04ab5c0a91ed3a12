import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import { pageOfAll } from "../pagination.js";
import { ConnectorRecord, connectorRecord } from "./connector-record.js";
import { connectorNotFound, findConnector } from "./find-connector.js";

const Credentials = Type.Object({
  id: Type.String(),
  secret: Type.String(),
  organization: Type.String({ description: "The host that clients use for the organization." }),
  name: Type.String(),
  firehose_url: Type.String({ description: "The address that batches are sent to." }),
});

const Problem = Type.Object({ path: Type.String(), message: Type.String(), severity: Type.String() });

const Installed = Type.Intersect([
  Credentials,
  Type.Object({ problems: Type.Array(Problem, { description: "What is wrong or unusual in its manifest." }) }),
]);

export interface ConnectorRoutesOptions {
  connectors: Connectors;
  addresses: Addresses;
  brand: Brand;
}

/** Creating, installing and listing connectors. Reading, changing and removing one is under `/:id`. */
export function connectorRoutes(app: App, { connectors, addresses, brand }: ConnectorRoutesOptions): void {
  const credentialsOf = (connector: Connector, caller: Caller) => ({
    id: connector.id,
    secret: connector.secret,
    organization: addresses.organizationHost(caller.organization.namespace),
    name: connector.name,
    firehose_url: addresses.firehoseUrl,
  });

  app.get(
    "/connectors",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "List the connectors of the organization",
        querystring: PageQuery,
        response: { 200: Type.Array(ConnectorRecord) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const all = await connectors.list(caller.organization.id);
      return pageOfAll(request, reply, brand, query, all).map((connector) => connectorRecord(connector, caller));
    },
  );

  app.post(
    "/connectors",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Create a connector without a manifest: plain API credentials",
        body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }),
        response: { 201: Credentials },
      },
    },
    async ({ caller, body }, reply) => {
      const connector = await connectors.create(caller.organization.id, body.name);
      reply.status(201);
      return credentialsOf(connector, caller);
    },
  );

  app.post(
    "/connectors/install",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Install a connector from its manifest",
        description: "Fetches the manifest and creates a connector with the defaults of its settings.",
        body: Type.Object({
          url: Type.String({
            minLength: 1,
            maxLength: 2_048,
            description: "The address of the connector, or of its manifest.",
          }),
        }),
        response: { 201: Installed },
      },
    },
    async ({ caller, body }, reply) => {
      const { connector, problems } = await connectors.install(caller.organization.id, body.url);
      reply.status(201);
      return { ...credentialsOf(connector, caller), problems };
    },
  );

  app.post(
    "/:id/refresh",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Read the manifest of a connector again",
        description: "Settings keep their values; new ones get their defaults.",
        params: Type.Object({ id: Type.String({ description: "Connector id." }) }),
        response: { 200: Type.Object({ connector: ConnectorRecord, problems: Type.Array(Problem) }) },
      },
    },
    async ({ caller, params }) => {
      const { connector, problems } = await connectors.refresh(await findConnector(connectors, params.id, caller));
      return { connector: connectorRecord(connector, caller), problems };
    },
  );

  app.post(
    "/:id/secret",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Replace a connector's secret; the old one stops working at once",
        params: Type.Object({ id: Type.String({ description: "Connector id." }) }),
        response: { 200: Credentials },
      },
    },
    async ({ caller, params }) => {
      const { id } = await findConnector(connectors, params.id, caller);
      const connector = await connectors.rotateSecret(caller.organization.id, id);
      if (!connector) throw connectorNotFound(params.id);
      return credentialsOf(connector, caller);
    },
  );
}
