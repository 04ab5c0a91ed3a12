import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { Vault } from "../../../runtime/secrets/vault.js";
import type { Database, Queryable } from "../database.js";

export interface SigningKey {
  id: string;
  privateKey: KeyObject;
}

const generate = promisify(generateKeyPair);
const BITS = 2_048;
// Any fixed number. Processes that start at the same time must agree on one first key.
const FIRST_KEY_LOCK = 7_201_985;

/** The key that signs notifications now. The first key is made when there is none. */
export async function currentSigningKey(database: Database, vault: Vault): Promise<SigningKey> {
  return database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1)", [FIRST_KEY_LOCK]);
    const { rows } = await tx.query<{ id: string; sealed_private_key: Buffer }>(
      "select id, sealed_private_key from signing_keys order by created_at desc, id limit 1",
    );
    const [row] = rows;
    if (!row) return createSigningKey(tx, vault);
    return { id: row.id, privateKey: createPrivateKey(vault.open(row.sealed_private_key, contextOf(row.id))) };
  });
}

/** Makes a new key, which is used from now on. */
export async function createSigningKey(database: Queryable, vault: Vault): Promise<SigningKey> {
  const { publicKey, privateKey } = await generate("rsa", { modulusLength: BITS });
  const id = randomBytes(12).toString("hex");
  const sealed = vault.seal(privateKey.export({ type: "pkcs8", format: "pem" }).toString(), contextOf(id));
  await database.query("insert into signing_keys (id, public_key, sealed_private_key) values ($1, $2, $3)", [
    id,
    publicKey.export({ type: "spki", format: "pem" }).toString(),
    sealed,
  ]);
  return { id, privateKey };
}

export async function findPublicKey(database: Queryable, id: string): Promise<string | undefined> {
  const { rows } = await database.query<{ public_key: string }>("select public_key from signing_keys where id = $1", [
    id,
  ]);
  return rows[0]?.public_key;
}

function contextOf(id: string): string {
  return `signing key ${id}`;
}
