import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { ConnectorWorks } from "../../../connectors/connector-works.js";
import { type InstallOptions, installConnector, refreshConnector } from "../../../connectors/install.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import { ConnectorRecord, connectorRecord } from "./connector-record.js";
import { findConnector } from "./find-connector.js";

const Credentials = Type.Object({
  id: Type.String(),
  secret: Type.String(),
  organization: Type.String({ description: "The host that clients are told for the organization." }),
  name: Type.String(),
  firehose_url: Type.String({ description: "Where batches go." }),
});

const Problem = Type.Object({ path: Type.String(), message: Type.String(), severity: Type.String() });

const Installed = Type.Intersect([
  Credentials,
  Type.Object({ problems: Type.Array(Problem, { description: "What is odd about its manifest." }) }),
]);

export interface ConnectorRoutesOptions extends InstallOptions {
  addresses: Addresses;
  works: ConnectorWorks;
}

export function connectorRoutes(app: App, { addresses, works, ...install }: ConnectorRoutesOptions): void {
  const { connectors } = install;
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
        response: { 200: Type.Array(ConnectorRecord) },
      },
    },
    async ({ caller }) => {
      const all = await connectors.list(caller.organization.id);
      return all.map((connector) => connectorRecord(connector, caller));
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
      const connector = await connectors.create(caller.organization.id, { name: body.name });
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
        description: "Fetches the manifest, and writes the defaults of its settings into the new connector.",
        body: Type.Object({
          url: Type.String({
            minLength: 1,
            maxLength: 2_048,
            description: "Where the connector runs, or the address of its manifest.",
          }),
        }),
        response: { 201: Installed },
      },
    },
    async ({ caller, body }, reply) => {
      const { connector, problems } = await installConnector(install, caller.organization.id, body.url);
      // Whatever changes from now on is told to it.
      await works.directory.refresh();
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
      const found = await findConnector(connectors, params.id, caller);
      if (found.manifestUrl === null) throw new Refusal("conflict", "The connector was created without a manifest.");
      const refreshed = await refreshConnector(install, found);
      if (!refreshed) throw new Refusal("not_found", "The connector was removed.");
      await works.notices.connectorChanged(refreshed.connector);
      return { connector: connectorRecord(refreshed.connector, caller), problems: refreshed.problems };
    },
  );

  app.post(
    "/keys",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Sign notifications with a new key; it has an address of its own",
        response: { 201: Type.Object({ id: Type.String(), url: Type.String() }) },
      },
    },
    async (_request, reply) => {
      reply.status(201);
      return works.signer.rotate();
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
      const connector = await connectors.rotateSecret(caller.organization.id, params.id);
      if (!connector) throw new Refusal("not_found", `There is no connector "${params.id.slice(0, 100)}".`);
      return credentialsOf(connector, caller);
    },
  );
}
