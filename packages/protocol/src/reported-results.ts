/**
 * What can become of a message that a connector has taken. `accepted`: the service has it. `refused`: the service does
 * not take it, and another attempt would not help. `skipped`: there was nothing to do. `retried`: the connector tries
 * again itself.
 */
export const REPORTED_RESULTS = ["accepted", "refused", "skipped", "retried"] as const;
