import { Refusal } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import type { Connector } from "../domain/connectors/connector.js";
import {
  isWriteKeyText,
  type KeyHolder,
  type StoredWriteKey,
  type WriteKeyFields,
  writeKeyProblem,
} from "../domain/connectors/write-key.js";
import { platformDomainsProblem } from "../domain/platforms/platform.js";
import type { Vault } from "../runtime/secrets/vault.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { type KeyOwner, WriteKeyStore } from "../storage/postgres/connectors/write-keys.js";
import type { Database } from "../storage/postgres/database.js";

/** The most keys that a connector can have. */
export const MAX_WRITE_KEYS = 50;
// More keys than one server is called with at the same time. Texts that are no key take a place too, for a moment.
const MAX_RECENT = 10_000;
/** The shortest time between two notes that a key was used. */
const NOTE_EVERY_MS = 60_000;

export interface WriteKeysOptions {
  database: Database;
  vault: Vault;
  store: ConnectorStore;
}

/** The keys that let public libraries and plain HTTP calls write in the name of a connector. */
export class WriteKeys {
  readonly #keys: WriteKeyStore;
  readonly #connectors: ConnectorStore;
  readonly #recent = new LRUCache<string, ReturnType<WriteKeyStore["findForAuthentication"]>>({ max: MAX_RECENT });
  readonly #noted = new LRUCache<string, true>({ max: MAX_RECENT, ttl: NOTE_EVERY_MS });

  constructor({ database, vault, store }: WriteKeysOptions) {
    this.#keys = new WriteKeyStore(database, vault);
    this.#connectors = store;
  }

  /**
   * Whose key a text is, also while the connector or its organization is disabled. The answer may be up to `maxAgeMs`
   * old, but includes all changes made by this process.
   */
  async find(key: string, maxAgeMs = 0): Promise<KeyHolder | undefined> {
    if (!isWriteKeyText(key)) return undefined;
    const found = await this.#findKey(key, maxAgeMs);
    if (!found) return undefined;
    const holder = await this.#connectors.findForAuthentication(found.connectorId, maxAgeMs);
    return holder && { writeKey: found.writeKey, ...holder };
  }

  /**
   * Notes that a key was used. It writes once a minute for each key. What was sent with the key is stored by then, so the
   * call must not fail because of a note: a note that cannot be written is left to the next call.
   */
  async noteUse({ writeKey, connector }: Pick<KeyHolder, "writeKey" | "connector">): Promise<void> {
    if (this.#noted.has(writeKey.id)) return;
    this.#noted.set(writeKey.id, true);
    try {
      await this.#keys.noteUse(ownerOf(connector), Number(writeKey.id));
    } catch {
      this.#noted.delete(writeKey.id);
    }
  }

  /** The keys of a connector, the oldest first. */
  list(connector: Connector): Promise<StoredWriteKey[]> {
    return this.#keys.list(ownerOf(connector));
  }

  /** The oldest server key of a connector. Every connector has one from its creation on, until somebody deletes it. */
  async serverKeyOf(connector: Connector): Promise<string | undefined> {
    return (await this.list(connector)).find(({ kind }) => kind === "server")?.key;
  }

  async create(connector: Connector, fields: WriteKeyFields): Promise<StoredWriteKey> {
    requireUsable(fields);
    const created = await this.#keys.create(ownerOf(connector), fields, MAX_WRITE_KEYS);
    this.#recent.clear();
    if (!created) throw new Refusal("conflict", `The connector already has ${MAX_WRITE_KEYS} write keys.`);
    return created;
  }

  /** What is left out stays. Undefined when there is no such key. */
  async update(
    connector: Connector,
    id: string,
    changes: Partial<Omit<WriteKeyFields, "kind">>,
  ): Promise<StoredWriteKey | undefined> {
    const updated = await this.#keys.update(ownerOf(connector), numberOf(id), (current) => {
      const fields = { ...current, ...changes };
      requireUsable(fields);
      return fields;
    });
    this.#recent.clear();
    return updated;
  }

  /** Replaces the text of a key; the old one stops working at once. Undefined when there is no such key. */
  async roll(connector: Connector, id: string): Promise<StoredWriteKey | undefined> {
    const current = (await this.list(connector)).find((key) => key.id === id);
    const rolled = current && (await this.#keys.roll(ownerOf(connector), current));
    this.#recent.clear();
    return rolled;
  }

  async remove(connector: Connector, id: string): Promise<boolean> {
    const isRemoved = await this.#keys.remove(ownerOf(connector), numberOf(id));
    this.#recent.clear();
    return isRemoved;
  }

  #findKey(key: string, maxAgeMs: number): ReturnType<WriteKeyStore["findForAuthentication"]> {
    if (maxAgeMs <= 0) return this.#keys.findForAuthentication(key);
    const known = this.#recent.get(key);
    if (known) return known;
    const found = this.#keys.findForAuthentication(key);
    this.#recent.set(key, found, { ttl: maxAgeMs });
    found.catch(() => this.#recent.delete(key));
    return found;
  }
}

function ownerOf({ organizationId, id }: Connector): KeyOwner {
  return { organizationId, connectorId: id };
}

function requireUsable(fields: WriteKeyFields): void {
  const problem = writeKeyProblem(fields) ?? platformDomainsProblem(fields.domains);
  if (problem) throw new Refusal("invalid_parameter", `The write key cannot be used: ${problem}.`);
}

/** The number of a key, or one that no key has. */
function numberOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}
