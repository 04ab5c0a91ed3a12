import { randomBytes } from "node:crypto";
import { createId, Refusal } from "@muster/protocol";
import type { ConnectorStatus } from "@muster/protocol/manifest";
import { LRUCache } from "lru-cache";
import type {
  Connector,
  ConnectorChanges,
  ConnectorInOrganization,
  NewConnector,
  StatusSource,
} from "../../../domain/connectors/connector.js";
import type { Vault } from "../../../runtime/secrets/vault.js";
import type { Database, Transaction } from "../database.js";
import { clearQueues } from "../delivery/clear-queues.js";
import { lockNotifyCursor } from "../delivery/outbox.js";
import { keepPurposes } from "../objects/purposes.js";
import { CONNECTOR_COLUMNS, type ConnectorRow, fromRow, sealPrivateSettings, sealSecret } from "./connector-row.js";
import { mergeSettings } from "./merge-settings.js";

// More connectors than send to one gateway at the same time.
const MAX_RECENT = 10_000;
// Callers choose the ids that are looked up; ids of connectors are shorter than this.
const MAX_RECENT_ID_LENGTH = 64;

/** Reads and writes connectors. Their secrets and private settings are encrypted in the database. */
export class ConnectorStore {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #recent = new LRUCache<string, Promise<ConnectorInOrganization | undefined>>({ max: MAX_RECENT });

  constructor(database: Database, vault: Vault) {
    this.#database = database;
    this.#vault = vault;
  }

  async create(organizationId: string, connector: NewConnector): Promise<Connector> {
    const id = createId("connector");
    const { rows } = await this.#database.query<ConnectorRow>(
      `with created as (
         insert into connectors (
           organization_id, id, name, sealed_secret, manifest, manifest_url, source_url,
           settings, sealed_private_settings, status
         )
         values ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8::text::jsonb, $9, $10)
         returning *
       ), noted as (
         insert into status_history (organization_id, connector_id, status, messages, source)
         select organization_id, id, status, status_messages, 'install' from created
       ), keyed as (
         insert into write_keys (organization_id, connector_id, kind, name)
         select organization_id, id, 'server', 'Server key' from created
       )
       select * from created`,
      [
        organizationId,
        id,
        connector.name,
        sealSecret(id, createSecret(), this.#vault),
        JSON.stringify(connector.manifest ?? {}),
        connector.manifestUrl ?? null,
        connector.sourceUrl ?? null,
        JSON.stringify(connector.settings ?? {}),
        sealPrivateSettings(id, connector.privateSettings ?? {}, this.#vault),
        connector.status ?? "ok",
      ],
    );
    return fromRow(rows[0]!, this.#vault);
  }

  async list(organizationId: string): Promise<Connector[]> {
    const { rows } = await this.#database.query<ConnectorRow>(
      "select * from connectors where organization_id = $1 order by id",
      [organizationId],
    );
    return rows.map((row) => fromRow(row, this.#vault));
  }

  /** The connectors of all organizations, each with the namespace of its organization. */
  async listAll(): Promise<{ connector: Connector; namespace: string; isOrganizationEnabled: boolean }[]> {
    const { rows } = await this.#database.query<ConnectorRow & { namespace: string; organization_enabled: boolean }>(
      `select c.*, o.namespace, o.enabled as organization_enabled
       from connectors c
       join organizations o on o.id = c.organization_id
       where o.deleted_at is null
       order by c.id`,
    );
    return rows.map((row) => ({
      connector: fromRow(row, this.#vault),
      namespace: row.namespace,
      isOrganizationEnabled: row.organization_enabled,
    }));
  }

  async find(organizationId: string, id: string): Promise<Connector | undefined> {
    const { rows } = await this.#database.query<ConnectorRow>(
      "select * from connectors where organization_id = $1 and id = $2",
      [organizationId, id],
    );
    return rows[0] && fromRow(rows[0], this.#vault);
  }

  /**
   * Finds a connector and its organization by the connector's id alone. Only for authentication, which checks that the
   * request may use it. The answer may be up to `maxAgeMs` old, but includes all changes made by this process.
   */
  findForAuthentication(id: string, maxAgeMs = 0): Promise<ConnectorInOrganization | undefined> {
    if (maxAgeMs <= 0 || id.length > MAX_RECENT_ID_LENGTH) return this.#readForAuthentication(id);
    const known = this.#recent.get(id);
    if (known) return known;
    const found = this.#readForAuthentication(id);
    this.#recent.set(id, found, { ttl: maxAgeMs });
    found.catch(() => this.#recent.delete(id));
    return found;
  }

  /** Makes the next authentications read the database: an organization was enabled, disabled or deleted. */
  forgetRecent(): void {
    this.#recent.clear();
  }

  async #readForAuthentication(id: string): Promise<ConnectorInOrganization | undefined> {
    const { rows } = await this.#database.prepared<
      ConnectorRow & {
        namespace: string;
        organization_name: string;
        organization_enabled: boolean;
        join_by_hints: boolean;
        organized_at: Date;
      }
    >(
      `select c.*, o.namespace, o.name as organization_name, o.enabled as organization_enabled,
              o.join_by_hints, o.created_at as organized_at
       from (select ${CONNECTOR_COLUMNS} from connectors where id = $1) c
       join organizations o on o.id = c.organization_id
       where o.deleted_at is null`,
      [id],
    );
    const row = rows[0];
    if (!row) return undefined;
    return {
      connector: fromRow(row, this.#vault),
      organization: {
        id: row.organization_id,
        namespace: row.namespace,
        name: row.organization_name,
        enabled: row.organization_enabled,
        joinByHints: row.join_by_hints,
        createdAt: row.organized_at,
      },
    };
  }

  async rotateSecret(organizationId: string, id: string): Promise<Connector | undefined> {
    const { rows } = await this.#database.query<ConnectorRow>(
      `update connectors
       set sealed_secret = $3, updated_at = now()
       where organization_id = $1 and id = $2
       returning *`,
      [organizationId, id, sealSecret(id, createSecret(), this.#vault)],
    );
    this.#recent.delete(id);
    return rows[0] && fromRow(rows[0], this.#vault);
  }

  /** Stores the status of a connector, and adds it to the history when it differs from the last one. */
  async setStatus(
    organizationId: string,
    id: string,
    { status, messages, source }: { status: ConnectorStatus; messages: string[]; source: StatusSource },
  ): Promise<Connector | undefined> {
    const { rows } = await this.#database.query<ConnectorRow>(
      `with noted as (
         insert into status_history (organization_id, connector_id, status, messages, source)
         select organization_id, id, $3, $4, $5
         from connectors
         where organization_id = $1 and id = $2 and (status, status_messages) is distinct from ($3, $4::text[])
       )
       update connectors
       set status = $3, status_messages = $4, status_updated_at = now()
       where organization_id = $1 and id = $2
       returning *`,
      [organizationId, id, status, messages, source],
    );
    return rows[0] && fromRow(rows[0], this.#vault);
  }

  /** Applies changes to a connector. Concurrent updates wait for each other. */
  async update(organizationId: string, id: string, changes: ConnectorChanges): Promise<Connector | undefined> {
    const updated = await this.#database.transaction(async (tx) => {
      const { rows: found } = await tx.query<ConnectorRow>(
        `select ${CONNECTOR_COLUMNS} from connectors where organization_id = $1 and id = $2 for update`,
        [organizationId, id],
      );
      if (!found[0]) return undefined;
      const purposes = changes.purposes && (await requirePurposes(tx, organizationId, changes.purposes));
      const current = fromRow(found[0], this.#vault);
      const settings = mergeSettings("settings", current.settings, changes.settings);
      const privateSettings = mergeSettings("private_settings", current.privateSettings, changes.privateSettings);
      const { rows } = await tx.query<ConnectorRow>(
        `update connectors
         set settings = $3::text::jsonb, sealed_private_settings = $4, enabled = $5, when_disabled = $6,
             manifest = $7::text::jsonb, notify_users_of_account = $8, name = $9,
             purposes = $10, updated_at = now()
         where organization_id = $1 and id = $2
         returning ${CONNECTOR_COLUMNS}`,
        [
          organizationId,
          id,
          JSON.stringify(settings),
          sealPrivateSettings(id, privateSettings, this.#vault),
          changes.enabled ?? current.enabled,
          changes.whenDisabled ?? current.whenDisabled,
          JSON.stringify(changes.manifest ?? current.manifest),
          changes.notifyUsersOfAccount ?? current.notifyUsersOfAccount,
          changes.name ?? current.name,
          purposes ?? current.purposes,
        ],
      );
      return fromRow(rows[0]!, this.#vault);
    });
    this.#recent.delete(id);
    return updated;
  }

  async remove(organizationId: string, id: string): Promise<boolean> {
    await clearQueues(this.#database, organizationId, id);
    return this.#database.transaction(async (tx) => {
      // Code that queues messages locks this row first, too. Different lock orders could deadlock.
      await lockNotifyCursor(tx, organizationId);
      const { rowCount } = await tx.query("delete from connectors where organization_id = $1 and id = $2", [
        organizationId,
        id,
      ]);
      this.#recent.delete(id);
      return rowCount === 1;
    });
  }
}

/** A purpose that does not exist must not be named: nobody could agree to it. */
async function requirePurposes(tx: Transaction, organizationId: string, names: readonly string[]): Promise<string[]> {
  const kept = await keepPurposes(tx, organizationId, names);
  const missing = names.find((name) => !kept.includes(name));
  if (missing !== undefined) throw new Refusal("invalid_parameter", `There is no purpose "${missing}".`);
  return kept;
}

function createSecret(): string {
  return randomBytes(24).toString("hex");
}
