import type { Brand } from "@muster/protocol";
import { CONNECTORS_API, type Credentials } from "@muster/protocol/api/connectors";
import type { Connectors } from "../../../connectors/connectors.js";
import type { WriteKeys } from "../../../connectors/write-keys.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import { pageOfAll } from "../pagination.js";
import { connectorRecord } from "./connector-record.js";
import { connectorNotFound, findConnector } from "./find-connector.js";

export interface ConnectorRoutesOptions {
  connectors: Connectors;
  writeKeys: WriteKeys;
  addresses: Addresses;
  brand: Brand;
}

/** Creating, installing and listing connectors. Reading, changing and removing one is under `/:id`. */
export function connectorRoutes(app: App, { connectors, writeKeys, addresses, brand }: ConnectorRoutesOptions): void {
  const credentialsOf = async (connector: Connector, caller: Caller): Promise<Credentials> => ({
    id: connector.id,
    secret: connector.secret,
    organization: addresses.organizationHost(caller.organization.namespace),
    name: connector.name,
    firehose_url: addresses.firehoseUrl,
    write_key: (await writeKeys.serverKeyOf(connector)) ?? null,
  });

  app.get(
    "/connectors",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "List the connectors of the organization",
        ...CONNECTORS_API["GET /api/v1/connectors"],
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
        ...CONNECTORS_API["POST /api/v1/connectors"],
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
        ...CONNECTORS_API["POST /api/v1/connectors/install"],
      },
    },
    async ({ caller, body }, reply) => {
      const { connector, problems } = await connectors.install(caller.organization.id, body.url);
      reply.status(201);
      return { ...(await credentialsOf(connector, caller)), problems };
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
        ...CONNECTORS_API["POST /api/v1/{id}/refresh"],
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
        ...CONNECTORS_API["POST /api/v1/{id}/secret"],
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
