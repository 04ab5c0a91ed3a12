import type { Brand } from "@muster/protocol";
import { WRITE_KEYS_API, type WriteKey as WriteKeyRecord } from "@muster/protocol/api/write-keys";
import type { Connectors } from "../../../connectors/connectors.js";
import type { WriteKeys } from "../../../connectors/write-keys.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import type { StoredWriteKey } from "../../../domain/connectors/write-key.js";
import { changedFields } from "../../../domain/members/changed-fields.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";
import { mayChange } from "./connector-record.js";
import { findConnector, findUsableConnector } from "./find-connector.js";

export interface WriteKeyRoutesOptions {
  connectors: Connectors;
  writeKeys: WriteKeys;
  brand: Brand;
}

/** The write keys of a connector. Only those who may see its secret see its server keys. */
export function writeKeyRoutes(app: App, { connectors, writeKeys, brand }: WriteKeyRoutesOptions): void {
  app.get(
    "/:id/write_keys",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "List the write keys of a connector",
        ...WRITE_KEYS_API["GET /api/v1/{id}/write_keys"],
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findUsableConnector(connectors, params.id, caller);
      const all = await writeKeys.list(connector);
      return pageOfAll(request, reply, brand, query, all).map((key) =>
        writeKeyRecord(key, mayChange(caller, connector.id)),
      );
    },
  );

  app.post(
    "/:id/write_keys",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Create a write key",
        description: "A page key names at least one domain or app. A connector has 50 keys at most.",
        ...WRITE_KEYS_API["POST /api/v1/{id}/write_keys"],
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      const { kind, name, domains = [], apps = [], trust_identify: trustsIdentify = false } = body;
      const connector = await findConnector(connectors, params.id, caller);
      const created = await writeKeys.create(connector, { kind, name, domains, apps, trustsIdentify });
      request.audited = { label: name, after: auditedKey(created) };
      reply.status(201);
      return writeKeyRecord(created);
    },
  );

  app.put(
    "/:id/write_keys/:key_id",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Change the name, the domains, the apps or the trust of a write key",
        description: "What is left out stays.",
        ...WRITE_KEYS_API["PUT /api/v1/{id}/write_keys/{key_id}"],
      },
    },
    async (request) => {
      const { params, body } = request;
      const { connector, key } = await requireKey(params, request.caller);
      const { trust_identify: trustsIdentify, ...changes } = body;
      const updated = await writeKeys.update(connector, key.id, {
        ...changes,
        ...(trustsIdentify === undefined ? {} : { trustsIdentify }),
      });
      if (!updated) throw notFound("write key", params.key_id);
      request.audited = { label: updated.name, ...changedFields(auditedKey(key), auditedKey(updated)) };
      return writeKeyRecord(updated);
    },
  );

  app.post(
    "/:id/write_keys/:key_id/roll",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Replace the text of a write key; the old one stops working at once",
        description: "Other processes of the server take the old text for one more second.",
        ...WRITE_KEYS_API["POST /api/v1/{id}/write_keys/{key_id}/roll"],
      },
    },
    async (request) => {
      const { connector, key } = await requireKey(request.params, request.caller);
      const rolled = await writeKeys.roll(connector, key.id);
      if (!rolled) throw notFound("write key", request.params.key_id);
      request.audited = { label: rolled.name, after: auditedKey(rolled) };
      return writeKeyRecord(rolled);
    },
  );

  app.delete(
    "/:id/write_keys/:key_id",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Delete a write key; it stops working at once",
        ...WRITE_KEYS_API["DELETE /api/v1/{id}/write_keys/{key_id}"],
      },
    },
    async (request) => {
      const { connector, key } = await requireKey(request.params, request.caller);
      if (!(await writeKeys.remove(connector, key.id))) throw notFound("write key", request.params.key_id);
      request.audited = { label: key.name, before: auditedKey(key) };
      return { id: key.id, deleted: true as const };
    },
  );

  async function requireKey(
    params: { id: string; key_id: string },
    caller: Caller,
  ): Promise<{ connector: Connector; key: StoredWriteKey }> {
    const connector = await findConnector(connectors, params.id, caller);
    const key = (await writeKeys.list(connector)).find(({ id }) => id === params.key_id);
    if (!key) throw notFound("write key", params.key_id);
    return { connector, key };
  }
}

function writeKeyRecord(key: StoredWriteKey, isShown = true): WriteKeyRecord {
  return {
    ...auditedKey(key),
    key: isShown || key.kind === "page" ? key.key : null,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

/** What the audit log says of a key: everything but its text. */
function auditedKey(key: StoredWriteKey) {
  return {
    id: key.id,
    kind: key.kind,
    name: key.name,
    domains: [...key.domains],
    apps: [...key.apps],
    trust_identify: key.trustsIdentify,
  };
}
