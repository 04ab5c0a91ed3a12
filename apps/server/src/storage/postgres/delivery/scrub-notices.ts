import type { StoredMessage } from "../../../domain/delivery/message.js";
import type { Queryable } from "../database.js";
import { pack, unpack } from "../packing.js";

const CHANNEL = "ship:update";

/**
 * Takes secrets and private settings out of notices that an earlier version has queued, or put into dead letters, with
 * the whole record of their connector. They are sent with the record that the connector has then.
 */
export async function scrubNotices(database: Queryable): Promise<void> {
  const { rows: batches } = await database.query<{ organization_id: string; id: number; payload: Buffer }>(
    `select organization_id, id, payload
     from message_batches b
     where exists (
       select from outbox o
       where o.organization_id = b.organization_id and o.batch_id = b.id and o.channel = $1
     )`,
    [CHANNEL],
  );
  for (const { organization_id, id, payload } of batches) {
    const messages = unpack<StoredMessage[]>(payload);
    if (!messages.some(holdsSecrets)) continue;
    await database.query("update message_batches set payload = $3 where organization_id = $1 and id = $2", [
      organization_id,
      id,
      pack(messages.map(scrubbed)),
    ]);
  }
  const { rows: letters } = await database.query<{ organization_id: string; id: number; message: Buffer }>(
    "select organization_id, id, message from dead_letters where channel = $1 and kind = 'notice'",
    [CHANNEL],
  );
  for (const { organization_id, id, message } of letters) {
    const stored = unpack<StoredMessage>(message);
    if (!holdsSecrets(stored)) continue;
    await database.query("update dead_letters set message = $3 where organization_id = $1 and id = $2", [
      organization_id,
      id,
      pack(scrubbed(stored)),
    ]);
  }
}

function holdsSecrets(message: StoredMessage): boolean {
  return message.kind === "notice" && message.sends === undefined && "secret" in message.body;
}

function scrubbed(message: StoredMessage): StoredMessage {
  if (message.kind !== "notice" || !holdsSecrets(message)) return message;
  const { secret: _secret, private_settings: _privateSettings, ...body } = message.body;
  return { ...message, body, sends: "connector" };
}
