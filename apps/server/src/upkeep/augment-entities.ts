import { TextDecoder } from "node:util";
import type { Logger } from "pino";
import type { MetaTags } from "../domain/entities/entity-record.js";
import { MetaTagReader } from "../domain/entities/meta-tags.js";
import type { GuardedFetch } from "../outbound/guarded-fetch.js";
import { OutboundError } from "../outbound/outbound-error.js";
import { SharedLoop } from "../runtime/loops/shared-loop.js";
import type { Database } from "../storage/postgres/database.js";
import {
  ENTITIES_CHANNEL,
  postponeUnread,
  saveMetaTags,
  takeUnread,
  type UnreadEntity,
} from "../storage/postgres/objects/entities.js";

export interface AugmenterOptions {
  database: Database;
  fetch: GuardedFetch;
  logger: Logger;
}

const AT_ONCE = 8;
const AT_ONCE_OF_ONE = 2;
const LOOK_EVERY_MS = 30_000;
const TIMEOUT_MS = 10_000;
// Meta tags are in the head of a page, and no real head is longer than this.
const MAX_HEAD_BYTES = 512 * 1024;
// Seconds until the next attempt, after the first and after the second one.
const RETRY_AFTER = [60, 600];

/** Reads the web pages of entities in the background. Their meta tags fill in the fields that no client has set. */
export async function startAugmenter({ database, fetch, logger }: AugmenterOptions): Promise<SharedLoop<UnreadEntity>> {
  const loop = new SharedLoop<UnreadEntity>({
    places: AT_ONCE,
    placesOfOne: AT_ONCE_OF_ONE,
    lookEveryMs: LOOK_EVERY_MS,
    take: (withoutOrganizations) => takeUnread(database, withoutOrganizations),
    work: (entity) => augment(database, fetch, logger, entity),
    onError: (error) => logger.error({ err: error }, "reading the pages of entities failed"),
  });
  await database.listen(ENTITIES_CHANNEL, () => loop.wake());
  loop.start();
  return loop;
}

async function augment(database: Database, fetch: GuardedFetch, logger: Logger, entity: UnreadEntity): Promise<void> {
  try {
    await saveMetaTags(database, entity, await readPage(fetch, entity.url));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { id, attempts } = entity;
    const isLasting = error.problem === "bad_url" || error.problem === "refused_address";
    const retryAfter = isLasting ? undefined : RETRY_AFTER[attempts - 1];
    logger.info({ entityId: id, problem: error.problem, retryAfter }, "the page of an entity cannot be read");
    await postponeUnread(database, entity, retryAfter);
  }
}

/** Reads the meta tags of a page. The result is empty when the address does not answer with a page. */
async function readPage(fetch: GuardedFetch, url: string): Promise<MetaTags> {
  const answer = await fetch(url, { headers: { accept: "text/html,application/xhtml+xml" }, timeoutMs: TIMEOUT_MS });
  const type = answer.headers["content-type"] ?? "";
  if (answer.status >= 500 || answer.status === 429) {
    answer.body.destroy();
    throw new OutboundError("network", `${new URL(url).origin} answered ${answer.status}.`);
  }
  const reader = new MetaTagReader();
  if (answer.status < 300 && /\b(html|xml)\b/i.test(type)) {
    const decoder = decoderFor(type);
    let bytes = 0;
    for await (const chunk of answer.body) {
      // Without an encoding set, a body gives buffers.
      const piece = chunk as Buffer;
      bytes += piece.length;
      if (!reader.write(decoder.decode(piece, { stream: true })) || bytes > MAX_HEAD_BYTES) break;
    }
  } else answer.body.destroy();
  return reader.result(answer.url);
}

function decoderFor(contentType: string): TextDecoder {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset);
  } catch {
    // The charset is unknown. Most pages are UTF-8, whatever they declare.
    return new TextDecoder();
  }
}
