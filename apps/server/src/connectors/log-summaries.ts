import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Connector } from "../domain/connectors/connector.js";
import type { Mailer } from "../outbound/mailer.js";
import { MailAllowance } from "./mail-allowance.js";

export interface LogSummariesOptions {
  mailer: Mailer | undefined;
  /** Who gets mail about connectors of an organization. */
  recipients(organizationId: string): Promise<readonly string[]>;
  logger: Logger;
}

const WINDOW_MS = 60 * 60 * 1_000;
// A connector that fails logs an error for every user, and its summary may name the user. People read the first few.
const MAILS_PER_CONNECTOR = 5;
const MAILS_PER_ORGANIZATION = 10;
const MAX_REMEMBERED = 10_000;
const MAX_NAME_LENGTH = 100;
const MAX_SUMMARY_LENGTH = 2_000;

/** Mails the error summaries of connectors, up to a number in an hour. Each mail says how many summaries were left out. */
export class LogSummaries {
  readonly #options: LogSummariesOptions;
  readonly #allowance = new MailAllowance(WINDOW_MS);
  /** When a summary was mailed last, by its digest. */
  readonly #mailedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  /** How many summaries were not mailed since the last mail, by connector. */
  readonly #leftOut = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(options: LogSummariesOptions) {
    this.#options = options;
  }

  /** Mails each summary, unless the same summary was mailed recently or the allowance is used up. */
  async mail(connector: Connector, summaries: readonly string[], now: number): Promise<void> {
    const { mailer } = this.#options;
    if (!mailer) return;
    let recipients: readonly string[] | undefined;
    for (const summary of new Set(summaries)) {
      if (!this.#mayMail(connector, summary, now)) this.#leaveOut(connector, 1);
      else {
        recipients ??= await this.#options.recipients(connector.organizationId);
        await this.#send(mailer, recipients, connector, summary);
      }
    }
  }

  #mayMail({ id, organizationId }: Connector, summary: string, now: number): boolean {
    // Connectors choose the length of a summary, so the key is its digest.
    const key = createHash("sha256").update(`${id} ${summary}`).digest("base64");
    if (now - (this.#mailedAt.get(key) ?? Number.NEGATIVE_INFINITY) < WINDOW_MS) return false;
    const allowances = [
      { key: id, limit: MAILS_PER_CONNECTOR },
      { key: organizationId, limit: MAILS_PER_ORGANIZATION },
    ];
    if (!this.#allowance.take(allowances, now)) return false;
    this.#mailedAt.set(key, now);
    return true;
  }

  async #send(mailer: Mailer, recipients: readonly string[], connector: Connector, summary: string): Promise<void> {
    const { logger } = this.#options;
    const name = shorten(connector.name.replace(/\s+/g, " "), MAX_NAME_LENGTH);
    const leftOut = this.#leftOut.get(connector.id) ?? 0;
    // Read before the mail is sent, because further summaries may be left out during the send.
    this.#leftOut.delete(connector.id);
    const lines = [
      `The connector "${name}" (${connector.id}) reports:`,
      shorten(summary, MAX_SUMMARY_LENGTH),
      ...(leftOut === 0 ? [] : [describeLeftOut(leftOut)]),
      "Its logs say more.",
    ];
    try {
      // A mail for each: the operator and the owners of an organization do not know one another's addresses.
      for (const to of recipients) {
        await mailer.send({ to: [to], subject: `${name} reports an error`, text: lines.join("\n\n") });
      }
    } catch (error) {
      this.#leaveOut(connector, leftOut + 1);
      // The log of the connector was stored, so its request succeeds. The operator must see that no mail was sent.
      logger.error({ err: error, connectorId: connector.id }, "mail could not be sent");
    }
  }

  #leaveOut({ id }: Connector, count: number): void {
    this.#leftOut.set(id, (this.#leftOut.get(id) ?? 0) + count);
  }
}

function describeLeftOut(count: number): string {
  if (count === 1) return "Since the last mail, 1 other summary of this connector was not mailed.";
  return `Since the last mail, ${count} other summaries of this connector were not mailed.`;
}

/** Without control characters, which a terminal or a mail server could act on. */
function shorten(text: string, maxLength: number): string {
  const plain = text.replace(/[^\P{Cc}\n\t]/gu, "");
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}…` : plain;
}
