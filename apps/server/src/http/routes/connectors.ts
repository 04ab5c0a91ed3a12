import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { Addresses } from "../../addresses.js";
import { CONNECTOR_STATUSES, type Connector, type ConnectorStore } from "../../storage/postgres/connectors.js";
import type { App } from "../app-type.js";
import { type Caller, connectorOf } from "../caller.js";
import type { ObjectHandler } from "../object-handler.js";

const StatusRow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Type.String(),
  messages: Type.Array(Type.String()),
  updated_at: Type.Union([Type.String(), Type.Null()]),
});

const ConnectorRecord = Type.Object({ id: Type.String(), name: Type.String() }, { additionalProperties: true });

const Credentials = Type.Object({
  id: Type.String(),
  secret: Type.String(),
  organization: Type.String(),
  name: Type.String(),
  firehose_url: Type.String(),
});

export interface ConnectorRoutesOptions {
  connectors: ConnectorStore;
  addresses: Addresses;
}

export function connectorRoutes(app: App, { connectors, addresses }: ConnectorRoutesOptions): void {
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
      const connector = await connectors.create(caller.organization.id, body.name);
      reply.status(201);
      return credentialsOf(connector, caller);
    },
  );

  app.post(
    "/:id/secret",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Replace a connector's secret; the old one stops working at once",
        params: Type.Object({ id: Type.String() }),
        response: { 200: Credentials },
      },
    },
    async ({ caller, params }) => {
      const connector = await connectors.rotateSecret(caller.organization.id, params.id);
      return credentialsOf(connector ?? notFound(params.id), caller);
    },
  );

  app.get(
    "/:id/status",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "The status of one connector",
        params: Type.Object({ id: Type.String({ description: "Connector id, or `app` for the calling one." }) }),
        response: { 200: StatusRow },
      },
    },
    async ({ caller, params }) => {
      const id = params.id === "app" ? connectorOf(caller).id : params.id;
      return statusRow((await connectors.find(caller.organization.id, id)) ?? notFound(params.id));
    },
  );

  app.put(
    "/:id/status",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "Set a connector's status",
        params: Type.Object({ id: Type.String({ description: "Connector id, or `app` for the calling one." }) }),
        body: Type.Object({
          status: Type.Enum([...CONNECTOR_STATUSES]),
          messages: Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100 }),
        }),
        response: { 200: StatusRow },
      },
    },
    async ({ caller, params, body }) => {
      const id = params.id === "app" ? connectorOf(caller).id : params.id;
      if (!(await connectors.find(caller.organization.id, id))) notFound(params.id);
      requireOwn(caller, id);
      const updated = await connectors.setStatus(caller.organization.id, id, body.status, body.messages);
      return statusRow(updated ?? notFound(params.id));
    },
  );
}

/** Connectors under `/:id`. */
export function connectorObjects(connectors: ConnectorStore): ObjectHandler {
  return {
    async read(id, caller) {
      const connector = await connectors.find(caller.organization.id, id);
      return connector && connectorRecord(connector, caller);
    },
    async update(id, body, caller) {
      if (!(await connectors.find(caller.organization.id, id))) return undefined;
      requireOwn(caller, id);
      const { settings, private_settings: privateSettings } = readSettings(body);
      const updated = await connectors.mergeSettings(caller.organization.id, id, {
        ...(settings ? { settings } : {}),
        ...(privateSettings ? { privateSettings } : {}),
      });
      return updated && connectorRecord(updated, caller);
    },
    async remove(id, caller) {
      if (caller.kind !== "operator") throw new Refusal("forbidden", "Only the operator may remove a connector.");
      return connectors.remove(caller.organization.id, id);
    },
  };
}

/** The connector as the caller may see it: secrets and private settings only to itself and the operator. */
export function connectorRecord(connector: Connector, caller: Caller) {
  const own = caller.kind === "operator" || (caller.kind === "connector" && caller.connector.id === connector.id);
  return {
    id: connector.id,
    name: connector.name,
    type: "ship",
    manifest: connector.manifest,
    manifest_url: connector.manifestUrl,
    source_url: connector.sourceUrl,
    settings: connector.settings,
    ...(own ? { private_settings: connector.privateSettings, secret: connector.secret } : {}),
    tags: Array.isArray(connector.manifest.tags) ? connector.manifest.tags : [],
    status: {
      status: connector.status,
      messages: connector.statusMessages,
      updated_at: connector.statusUpdatedAt?.toISOString() ?? null,
    },
    enabled: connector.enabled,
    accept_incoming_webhooks: true,
    created_at: connector.createdAt.toISOString(),
    updated_at: connector.updatedAt.toISOString(),
  };
}

export function statusRow(connector: Connector) {
  return {
    id: connector.id,
    name: connector.name,
    status: connector.status,
    messages: connector.statusMessages,
    updated_at: connector.statusUpdatedAt?.toISOString() ?? null,
  };
}

function requireOwn(caller: Caller, id: string): void {
  if (caller.kind === "operator" || (caller.kind === "connector" && caller.connector.id === id)) return;
  throw new Refusal("forbidden", "A connector may change only itself.");
}

function readSettings(body: unknown): {
  settings?: Record<string, unknown>;
  private_settings?: Record<string, unknown>;
} {
  const given = isObject(body) ? body : {};
  for (const name of ["settings", "private_settings"]) {
    if (given[name] !== undefined && !isObject(given[name])) {
      throw new Refusal("invalid_parameter", `body.${name} must be an object.`, {
        details: [{ path: `body.${name}`, message: "must be an object" }],
      });
    }
  }
  return given;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notFound(id: string): never {
  throw new Refusal("not_found", `There is no connector ${id}.`);
}
