import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Connector } from "../domain/connectors/connector.js";
import type { Mailer } from "../outbound/mailer.js";

export interface LogSummariesOptions {
  mailer: Mailer | undefined;
  /** Who gets mail. */
  recipients: readonly string[];
  logger: Logger;
}

// A connector that fails logs the same error for every user. It is mailed once an hour.
const SILENCE_MS = 60 * 60 * 1_000;
const MAX_REMEMBERED = 1_000;

/** Mails the summaries that connectors give of their errors. */
export class LogSummaries {
  readonly #options: LogSummariesOptions;
  readonly #mailedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(options: LogSummariesOptions) {
    this.#options = options;
  }

  /** Mails each summary, unless the same was mailed a short while ago. */
  async mail(connector: Connector, summaries: readonly string[], now: number): Promise<void> {
    const { mailer, recipients, logger } = this.#options;
    if (!mailer || recipients.length === 0) return;
    for (const summary of new Set(summaries)) {
      // Connectors choose the length of a summary, so the key is its digest.
      const key = createHash("sha256").update(`${connector.id} ${summary}`).digest("base64");
      if (now - (this.#mailedAt.get(key) ?? Number.NEGATIVE_INFINITY) < SILENCE_MS) continue;
      this.#mailedAt.set(key, now);
      try {
        await mailer.send({
          to: recipients,
          subject: `${connector.name} reports an error`,
          text: `The connector "${connector.name}" (${connector.id}) reports:\n\n${summary}\n\nIts logs say more.`,
        });
      } catch (error) {
        // The log of the connector was stored, so its request succeeds. The operator must see that no mail was sent.
        logger.error({ err: error, connectorId: connector.id }, "mail could not be sent");
      }
    }
  }
}
