import { createHash, randomInt } from "node:crypto";
import type { StoredWriteKey, WriteKey, WriteKeyFields, WriteKeyKind } from "../../../domain/connectors/write-key.js";
import type { Vault } from "../../../runtime/secrets/vault.js";
import type { Database, Queryable } from "../database.js";

interface WriteKeyRow {
  organization_id: string;
  connector_id: string;
  id: number;
  kind: WriteKeyKind;
  name: string;
  domains: string[];
  apps: string[];
  trusts_identify: boolean;
  sealed_key: Buffer | null;
  created_at: Date;
  last_used_at: Date | null;
}

const COLUMNS =
  "organization_id, connector_id, id, kind, name, domains, apps, trusts_identify, sealed_key, created_at, last_used_at";

/** Which connector's keys are meant. */
export interface KeyOwner {
  organizationId: string;
  connectorId: string;
}

/** Reads and writes the keys of connectors. Their texts are encrypted in the database, and found by their hash. */
export class WriteKeyStore {
  readonly #database: Database;
  readonly #vault: Vault;

  constructor(database: Database, vault: Vault) {
    this.#database = database;
    this.#vault = vault;
  }

  /** The keys of a connector, the oldest first. */
  async list(owner: KeyOwner): Promise<StoredWriteKey[]> {
    const rows = await this.#read(this.#database, owner);
    const withoutText = rows.filter((row) => row.sealed_key === null);
    if (withoutText.length === 0) return rows.map((row) => this.#fromRow(row));
    await this.#database.transaction(async (tx) => {
      for (const { id, kind } of withoutText) await this.#giveText(tx, owner, id, kind, "and sealed_key is null");
    });
    // Another process may have made the text first. The row says which text counts.
    return (await this.#read(this.#database, owner)).map((row) => this.#fromRow(row));
  }

  /** Creates a key. Undefined when the connector has `limit` of them, or was removed. */
  async create(
    owner: KeyOwner,
    { kind, name, domains, apps, trustsIdentify }: WriteKeyFields,
    limit: number,
  ): Promise<StoredWriteKey | undefined> {
    return this.#database.transaction(async (tx) => {
      // The lock keeps two concurrent requests from creating more than `limit` keys.
      await tx.query("select from connectors where organization_id = $1 and id = $2 for no key update", values(owner));
      const { rows } = await tx.query<{ id: number }>(
        `insert into write_keys (organization_id, connector_id, kind, name, domains, apps, trusts_identify)
         select organization_id, id, $3, $4, $5, $6, $7
         from connectors
         where organization_id = $1 and id = $2
           and (select count(*) from write_keys where organization_id = $1 and connector_id = $2) < $8
         returning id`,
        [...values(owner), kind, name, domains, apps, trustsIdentify, limit],
      );
      return rows[0] && this.#giveText(tx, owner, rows[0].id, kind);
    });
  }

  /** Replaces what `change` computes from the present fields. Undefined when there is no such key. */
  async update(
    owner: KeyOwner,
    id: number,
    change: (current: StoredWriteKey) => WriteKeyFields,
  ): Promise<StoredWriteKey | undefined> {
    return this.#database.transaction(async (tx) => {
      const { rows: found } = await tx.query<WriteKeyRow>(
        `select ${COLUMNS}
         from write_keys
         where organization_id = $1 and connector_id = $2 and id = $3 and sealed_key is not null
         for update`,
        [...values(owner), id],
      );
      if (!found[0]) return undefined;
      const { name, domains, apps, trustsIdentify } = change(this.#fromRow(found[0]));
      const { rows } = await tx.query<WriteKeyRow>(
        `update write_keys
         set name = $4, domains = $5, apps = $6, trusts_identify = $7
         where organization_id = $1 and connector_id = $2 and id = $3
         returning ${COLUMNS}`,
        [...values(owner), id, name, domains, apps, trustsIdentify],
      );
      return this.#fromRow(rows[0]!);
    });
  }

  /** Gives a key another text. The old text is forgotten. */
  async roll(owner: KeyOwner, { id, kind }: Pick<WriteKey, "id" | "kind">): Promise<StoredWriteKey | undefined> {
    return this.#giveText(this.#database, owner, Number(id), kind);
  }

  async remove(owner: KeyOwner, id: number): Promise<boolean> {
    const { rowCount } = await this.#database.query(
      "delete from write_keys where organization_id = $1 and connector_id = $2 and id = $3",
      [...values(owner), id],
    );
    return rowCount === 1;
  }

  /** Finds a key by its text alone. Only for authentication, which checks that the call may use it. */
  async findForAuthentication(key: string): Promise<{ writeKey: WriteKey; connectorId: string } | undefined> {
    const { rows } = await this.#database.prepared<WriteKeyRow>(
      `select ${COLUMNS} from write_keys where key_hash = $1`,
      [hashOf(key)],
    );
    return rows[0] && { writeKey: writeKeyOf(rows[0]), connectorId: rows[0].connector_id };
  }

  async noteUse(owner: KeyOwner, id: number): Promise<void> {
    await this.#database.query(
      "update write_keys set last_used_at = now() where organization_id = $1 and connector_id = $2 and id = $3",
      [...values(owner), id],
    );
  }

  async #read(database: Queryable, owner: KeyOwner): Promise<WriteKeyRow[]> {
    const { rows } = await database.query<WriteKeyRow>(
      `select ${COLUMNS} from write_keys where organization_id = $1 and connector_id = $2 order by id`,
      values(owner),
    );
    return rows;
  }

  async #giveText(
    database: Queryable,
    owner: KeyOwner,
    id: number,
    kind: WriteKeyKind,
    condition: "" | "and sealed_key is null" = "",
  ): Promise<StoredWriteKey | undefined> {
    const key = createText(kind);
    const { rows } = await database.query<WriteKeyRow>(
      `update write_keys
       set sealed_key = $4, key_hash = $5
       where organization_id = $1 and connector_id = $2 and id = $3 ${condition}
       returning ${COLUMNS}`,
      [...values(owner), id, this.#vault.seal(key, contextOf(owner.connectorId)), hashOf(key)],
    );
    return rows[0] && this.#fromRow(rows[0]);
  }

  #fromRow(row: WriteKeyRow): StoredWriteKey {
    if (row.sealed_key === null) throw new Error(`The write key ${row.id} has no text.`);
    return {
      ...writeKeyOf(row),
      name: row.name,
      key: this.#vault.open(row.sealed_key, contextOf(row.connector_id)),
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    };
  }
}

function writeKeyOf(row: WriteKeyRow): WriteKey {
  return {
    id: String(row.id),
    kind: row.kind,
    domains: row.domains,
    apps: row.apps,
    trustsIdentify: row.trusts_identify,
  };
}

function values({ organizationId, connectorId }: KeyOwner): [string, string] {
  return [organizationId, connectorId];
}

const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function createText(kind: WriteKeyKind): string {
  const random = Array.from({ length: 32 }, () => LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)]);
  return `${kind === "server" ? "wks" : "wkp"}_${random.join("")}`;
}

// 190 random bits: nobody can find the text for a hash by trying, so the hash needs no salt.
function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function contextOf(connectorId: string): string {
  return `connector ${connectorId} write key`;
}
