import { MINUTE_MS } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import type { KeptMessage } from "../../storage/postgres/delivery/kept-messages.js";
import type { CallResult } from "./call-connector.js";

// Enough to see what a connector gets and what it refuses. To keep all messages would copy every profile many times.
const DELIVERED_A_MINUTE = 5;
const FAILED_A_MINUTE = 10;
const MOST_OF_ONE_CALL = 3;
const LONGEST_REQUEST = 16_384;
const MAX_REMEMBERED = 10_000;

/** Chooses which messages are kept as they were sent: the first few of each connector in every minute. */
export class MessagesToKeep {
  readonly #taken = new LRUCache<string, { minute: number; delivered: number; failed: number }>({
    max: MAX_REMEMBERED,
  });

  choose(
    connectorId: string,
    { messages, sent, outcome, request, answer }: CallResult,
    now: number,
  ): Omit<KeptMessage, "organizationId" | "connectorId">[] {
    const minute = Math.floor(now / MINUTE_MS);
    const before = this.#taken.get(connectorId);
    const taken = before?.minute === minute ? before : { minute, delivered: 0, failed: 0 };
    const kind = outcome.kind === "delivered" ? "delivered" : "failed";
    const limit = kind === "delivered" ? DELIVERED_A_MINUTE : FAILED_A_MINUTE;
    // A notice about changed settings is sent with the secrets of the connector.
    const open = messages.flatMap((message, index) =>
      message.kind === "notice" && message.sends !== undefined ? [] : [{ message, content: sent[index] ?? {} }],
    );
    const chosen = open.slice(0, Math.min(MOST_OF_ONE_CALL, limit - taken[kind]));
    this.#taken.set(connectorId, { ...taken, [kind]: taken[kind] + chosen.length });
    return chosen.map(({ message, content }) => ({
      notificationId: request.notification_id,
      messageId: message.message_id,
      url: request.url,
      request: JSON.stringify(content).slice(0, LONGEST_REQUEST),
      answer: answer?.body ?? "",
    }));
  }
}
