import type { FlowControl, NotificationAnswer } from "@muster/protocol";

/** What a notification is answered with. Handlers may say how they want to be told about the rest. */
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

  /** The body of the answer; `fallback` holds unless the handler said otherwise. */
  toAnswer(fallback: FlowControl): NotificationAnswer {
    return { flow_control: this.#flowControl ?? fallback, errors: [...this.#errors], metrics: [...this.#metrics] };
  }
}
