import type { CallResult } from "./call-connector.js";
import type { Abandoned, AbandonedMessage } from "./save-letters.js";

/**
 * The messages of a call that the service has refused, although the connector took the call: another attempt would end
 * the same way, so they become dead letters at once.
 */
export function refusedMessages(
  { messages, results, outcome, request }: CallResult,
  { url, channel }: { url: string; channel: string },
  attempts: number,
): AbandonedMessage[] {
  if (outcome.kind !== "delivered") return [];
  const calls = new Map<string, Abandoned>();
  return messages.flatMap((message, index) => {
    const { kind, answer, reason } = results[index]!;
    if (kind !== "refused") return [];
    const key = JSON.stringify([answer, reason]);
    const call = calls.get(key) ?? { request, answer, reason };
    calls.set(key, call);
    return [{ url, channel, message, attempts, call }];
  });
}
