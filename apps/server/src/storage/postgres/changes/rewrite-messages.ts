import type { FailedCall } from "../../../domain/delivery/dead-letter.js";
import type { StoredMessage } from "../../../domain/delivery/message.js";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import { compress, decompress } from "../../logs/compression.js";
import type { Transaction } from "../database.js";

// A batch may have a megabyte, and a page is in memory as a whole.
const BATCHES_PER_PAGE = 20;
const LETTERS_PER_PAGE = 500;
const ERASED_REASON = "The reason named somebody who was erased.";

type Rewrite = (message: StoredMessage) => StoredMessage;

/** Rewrites a page of the queued messages. `rewrite` returns the same object for a message that stays as it is. */
export async function rewriteBatches(
  tx: Transaction,
  organizationId: string,
  after: number,
  rewrite: Rewrite,
): Promise<CleanedPage> {
  const { rows } = await tx.query<{ id: number; payload: Buffer }>(
    "select id, payload from message_batches where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, after, BATCHES_PER_PAGE],
  );
  let removed = 0;
  for (const { id, payload } of rows) {
    const messages = decompress<StoredMessage[]>(payload);
    const rewritten = messages.map(rewrite);
    const changed = rewritten.filter((message, index) => message !== messages[index]).length;
    if (changed === 0) continue;
    removed += changed;
    await tx.query("update message_batches set payload = $3 where organization_id = $1 and id = $2", [
      organizationId,
      id,
      compress(rewritten),
    ]);
  }
  return { end: rows.at(-1)?.id, removed };
}

/**
 * Rewrites a page of the dead letters that are about others: their messages may contain an erased account, and
 * the answer to their call may name every subject of the call.
 */
export async function rewriteLetters(
  tx: Transaction,
  organizationId: string,
  after: number,
  rewrite: Rewrite,
  isMentionedIn: (text: string) => boolean,
): Promise<CleanedPage> {
  const { rows } = await tx.query<{
    id: number;
    message: Buffer;
    answer: FailedCall["answer"];
    reason: string;
    cause: string;
  }>(
    "select id, message, answer, reason, cause from dead_letters where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, after, LETTERS_PER_PAGE],
  );
  let removed = 0;
  for (const { id, message: compressed, answer, reason, cause } of rows) {
    const message = decompress<StoredMessage>(compressed);
    const rewritten = rewrite(message);
    const isNamed = isMentionedIn(answer?.body ?? "");
    const isReasonNamed = isMentionedIn(reason) || isMentionedIn(cause);
    if (rewritten === message && !isNamed && !isReasonNamed) continue;
    removed += 1;
    await tx.query(
      `update dead_letters
       set message = $3, answer = $4::text::jsonb, reason = $5, cause = $6
       where organization_id = $1 and id = $2`,
      [
        organizationId,
        id,
        compress(rewritten),
        answer && JSON.stringify(isNamed ? { ...answer, body: "" } : answer),
        isReasonNamed ? ERASED_REASON : reason,
        isReasonNamed ? ERASED_REASON : cause,
      ],
    );
  }
  return { end: rows.at(-1)?.id, removed };
}
