import {
  type FlowControl,
  firstBytes,
  MAX_REPORTED_BODY_BYTES,
  type MessageReport,
  type NotificationAnswer,
} from "@muster/protocol";

// Muster reads 4 MB of an answer. A call with thousands of messages that are refused keeps the bodies of the first.
const MAX_ALL_BODIES_BYTES = 1024 * 1024;

/** What became of a message, without its id. */
export type Report = Omit<MessageReport, "message_id">;

/** The answer to a notification. Handlers can set how Muster sends the next messages. */
export class NotificationResponse {
  #flowControl: FlowControl | undefined;
  readonly #reports = new Map<string, MessageReport>();
  #bodyBytes = 0;
  readonly #errors: { code: string; reason: string }[] = [];
  readonly #metrics: Record<string, unknown>[] = [];

  /**
   * @example
   * ctx.smartNotifierResponse.setFlowControl({ type: "next", size: 20, in: 5_000 });
   */
  setFlowControl(flowControl: FlowControl): this {
    this.#flowControl = flowControl;
    return this;
  }

  /** Says what became of a message. The last report about a message counts. */
  addResult(messageId: string, { result, status, body, reason }: Report): this {
    const left = Math.max(0, Math.min(MAX_REPORTED_BODY_BYTES, MAX_ALL_BODIES_BYTES - this.#bodyBytes));
    const kept = firstBytes(body ?? "", left);
    this.#bodyBytes += Buffer.byteLength(kept);
    this.#reports.set(messageId, {
      message_id: messageId,
      result,
      ...(status === undefined ? {} : { status }),
      ...(kept === "" ? {} : { body: kept }),
      ...(reason === undefined ? {} : { reason }),
    });
    return this;
  }

  /** What was said about a message. */
  resultOf(messageId: unknown): MessageReport | undefined {
    return typeof messageId === "string" ? this.#reports.get(messageId) : undefined;
  }

  addError(code: string, reason: string): this {
    this.#errors.push({ code, reason });
    return this;
  }

  addMetric(metric: Record<string, unknown>): this {
    this.#metrics.push(metric);
    return this;
  }

  /** The body of the answer, with the `fallback` flow control unless the handler set one. */
  toAnswer(fallback: FlowControl): NotificationAnswer {
    return {
      flow_control: this.#flowControl ?? fallback,
      ...(this.#reports.size > 0 ? { results: [...this.#reports.values()] } : {}),
      errors: [...this.#errors],
      metrics: [...this.#metrics],
    };
  }
}
