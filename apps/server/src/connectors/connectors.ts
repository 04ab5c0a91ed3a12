import { Refusal } from "@muster/protocol";
import { defaultSettings, type ManifestProblem, readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../domain/connectors/connector.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { clearNews, clearQueue } from "../storage/postgres/delivery/clear-queues.js";
import type { Catalogue } from "./catalogue.js";
import type { ConnectorDirectory } from "./connector-directory.js";
import type { MappingFields } from "./mapping-fields.js";
import { type ChangedBy, readConnectorChanges } from "./read-connector-changes.js";

export interface ConnectorsOptions {
  database: Database;
  store: ConnectorStore;
  directory: ConnectorDirectory;
  catalogue: Catalogue;
  mappingFields: MappingFields;
  /** Called after the settings or the manifest of a connector changed: the connector must get a notice. */
  onChange(connector: Connector): Promise<void>;
  /** Called after a person changed the settings of a connector, or had its manifest read again. */
  askStatusSoon(connector: Connector): Promise<void>;
}

export interface Installed {
  connector: Connector;
  /** What is wrong or unusual in its manifest. */
  problems: ManifestProblem[];
}

/** The connectors of each organization: installs, changes and removes them. */
export class Connectors {
  readonly #options: ConnectorsOptions;

  constructor(options: ConnectorsOptions) {
    this.#options = options;
  }

  list(organizationId: string): Promise<Connector[]> {
    return this.#options.store.list(organizationId);
  }

  find(organizationId: string, id: string): Promise<Connector | undefined> {
    return this.#options.store.find(organizationId, id);
  }

  /** Creates a connector without a manifest: plain API credentials. */
  create(organizationId: string, name: string): Promise<Connector> {
    return this.#options.store.create(organizationId, { name });
  }

  /** Creates a connector from the manifest at `url`, with the defaults of its settings and its initial status. */
  async install(organizationId: string, url: string): Promise<Installed> {
    const { store, directory, catalogue } = this.#options;
    const { manifest, manifestUrl, sourceUrl, problems } = await catalogue.add(organizationId, url);
    const declared = readManifest(manifest);
    const connector = await store.create(organizationId, {
      name: manifest.name,
      manifest,
      manifestUrl,
      sourceUrl,
      settings: defaultSettings(declared.settings),
      privateSettings: defaultSettings(declared.private_settings),
      status: declared.initialStatus,
    });
    // From now on the connector gets every change.
    await directory.refresh();
    return { connector, problems };
  }

  /** Reads the manifest of a connector again. Settings keep their values; new ones get their defaults. */
  async refresh(connector: Connector): Promise<Installed> {
    const { store, catalogue, onChange, askStatusSoon } = this.#options;
    if (connector.manifestUrl === null) throw new Refusal("conflict", "The connector was created without a manifest.");
    const { manifest, problems } = await catalogue.add(connector.organizationId, connector.manifestUrl);
    const declared = readManifest(manifest);
    const updated = await store.update(connector.organizationId, connector.id, {
      manifest,
      settings: { ...defaultSettings(declared.settings), ...connector.settings },
      privateSettings: { ...defaultSettings(declared.private_settings), ...connector.privateSettings },
    });
    if (!updated) throw new Refusal("not_found", "The connector was removed.");
    await onChange(updated);
    // Whoever reads the manifest again wants to know whether the connector works now.
    await askStatusSoon(updated);
    return { connector: updated, problems };
  }

  /** Applies the changes that a request body gives. Undefined when the connector was removed in the meantime. */
  async update(connector: Connector, body: unknown, by: ChangedBy): Promise<Connector | undefined> {
    const { database, store, mappingFields, onChange, askStatusSoon } = this.#options;
    const { organizationId, id } = connector;
    const changes = await readConnectorChanges(body, connector, {
      by,
      fieldProblems: (settings) => mappingFields.problems(connector, settings),
    });
    const updated = await store.update(organizationId, id, changes);
    if (!updated) return undefined;
    const isDropped = !updated.enabled && updated.whenDisabled === "drop";
    if (isDropped) await clearQueue(database, organizationId, id);
    if (isDropped || !updated.notifyUsersOfAccount) await clearNews(database, organizationId, id);
    await onChange(updated);
    // A connector that changes its own settings knows its status.
    if (by === "operator") await askStatusSoon(updated);
    return updated;
  }

  remove(organizationId: string, id: string): Promise<boolean> {
    return this.#options.store.remove(organizationId, id);
  }

  /** Replaces the secret; the old one stops working at once. */
  rotateSecret(organizationId: string, id: string): Promise<Connector | undefined> {
    return this.#options.store.rotateSecret(organizationId, id);
  }
}
