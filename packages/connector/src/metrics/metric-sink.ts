/** Names and values, such as `{ endpoint: "GET /contacts" }`. */
export type Tags = Readonly<Record<string, string>>;

/** Receives metrics. A connector may have several. */
export interface MetricSink {
  /** Adds to a counter. */
  increment(name: string, value: number, tags: Tags): void;
  /** Sets a gauge. */
  value(name: string, value: number, tags: Tags): void;
  /** Something that happened once. */
  event(name: string, event: { text: string; properties: Readonly<Record<string, unknown>> }, tags: Tags): void;
}

/** The value of the option `instrumentation`. */
export type Instrumentation = readonly MetricSink[];
