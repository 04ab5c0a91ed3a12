import type { FlowControl, NotificationAnswer } from "@muster/protocol";

/** The answer to a notification. Handlers can set how Muster sends the next messages. */
export class NotificationResponse {
  #flowControl: FlowControl | undefined;
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
    return { flow_control: this.#flowControl ?? fallback, errors: [...this.#errors], metrics: [...this.#metrics] };
  }
}
