import type { StoredMessage } from "../../../domain/delivery/message.js";
import { compress, decompress } from "../../logs/compression.js";
import type { Database } from "../database.js";

const CHANNEL = "ship:update";
const PAGE = 100;

interface Place {
  organization_id: string;
  id: number;
}

const START: Place = { organization_id: "", id: 0 };

/**
 * Takes secrets and private settings out of notices that an earlier version has queued, or put into dead letters, with
 * the whole record of their connector. They are sent with the record that the connector has then.
 */
export async function scrubNotices(database: Database): Promise<void> {
  // Locks rows only if one must change, because a read-only database refuses row locks.
  for (let at: Place | undefined = START; at; at = await scrubQueued(database, at));
  for (let at: Place | undefined = START; at; at = await scrubDeadLetters(database, at));
}

/** Scrubs the next batches of messages. Returns the last of them, or undefined when none is left. */
async function scrubQueued(database: Database, after: Place): Promise<Place | undefined> {
  const { rows } = await database.query<Place & { payload: Buffer }>(
    `select organization_id, id, payload
     from message_batches
     where (organization_id, id) in (
       select distinct organization_id, batch_id
       from outbox
       where channel = $1 and (organization_id, batch_id) > ($2, $3)
       order by organization_id, batch_id
       limit $4
     )
     order by organization_id, id`,
    [CHANNEL, after.organization_id, after.id, PAGE],
  );
  for (const { organization_id, id, payload } of rows) {
    if (!decompress<StoredMessage[]>(payload).some(holdsSecrets)) continue;
    await database.transaction(async (tx) => {
      // An erasure may have changed it since.
      const { rows: locked } = await tx.query<{ payload: Buffer }>(
        "select payload from message_batches where organization_id = $1 and id = $2 for update",
        [organization_id, id],
      );
      const [present] = locked;
      if (!present) return;
      const messages = decompress<StoredMessage[]>(present.payload);
      await tx.query("update message_batches set payload = $3 where organization_id = $1 and id = $2", [
        organization_id,
        id,
        compress(messages.map(scrubbed)),
      ]);
    });
  }
  return rows.at(-1);
}

/** Scrubs the next dead letters. Returns the last of them, or undefined when none is left. */
async function scrubDeadLetters(database: Database, after: Place): Promise<Place | undefined> {
  const { rows } = await database.query<Place & { message: Buffer }>(
    `select organization_id, id, message
     from dead_letters
     where channel = $1 and kind = 'notice' and (organization_id, id) > ($2, $3)
     order by organization_id, id
     limit $4`,
    [CHANNEL, after.organization_id, after.id, PAGE],
  );
  for (const { organization_id, id, message } of rows) {
    const stored = decompress<StoredMessage>(message);
    if (!holdsSecrets(stored)) continue;
    // A letter that an erasure or a retry has changed in the meantime is not overwritten. The next start scrubs it.
    await database.query(
      "update dead_letters set message = $3 where organization_id = $1 and id = $2 and message = $4",
      [organization_id, id, compress(scrubbed(stored)), message],
    );
  }
  return rows.at(-1);
}

function holdsSecrets(message: StoredMessage): boolean {
  return message.kind === "notice" && message.sends === undefined && "secret" in message.body;
}

function scrubbed(message: StoredMessage): StoredMessage {
  if (message.kind !== "notice" || !holdsSecrets(message)) return message;
  const { secret: _secret, private_settings: _privateSettings, ...body } = message.body;
  return { ...message, body, sends: "connector" };
}
