import { type Context, LogicError, type Report, TransientError } from "@muster/connector";
import { HOUR_MS } from "@muster/protocol";
import type { OutgoingEvent } from "../events/outgoing-event.js";
import { SETTING } from "../manifest/setting-names.js";
import { readMappings } from "../mapping/read-mappings.js";
import type { DestinationRecord } from "../record/destination-record.js";
import type { Account, DeliverItem, ItemOutcome } from "../thread/calls.js";
import { DestinationFailure, DestinationStopped } from "../thread/destination-threads.js";
import { isPending, type Outcome, worstOf } from "../thread/outcome.js";
import type { DestinationHost } from "./destination-host.js";
import { throwPending } from "./throw-pending.js";

/** Longer than Muster waits before it sends a message again. */
const REMEMBER_MS = HOUR_MS;

/** A message with the events that it becomes. */
export interface MessageEvents {
  message: { readonly message_id: string };
  /** The user or account that it is about. */
  subject: string;
  events: OutgoingEvent[];
}

/**
 * Sends the events of messages and reports what became of each message. When some of them have to be sent again, all come again:
 * what the service has taken is remembered and left out then.
 */
export async function deliver(
  ctx: Context,
  host: DestinationHost,
  record: DestinationRecord,
  account: Account,
  messages: readonly MessageEvents[],
): Promise<void> {
  const stored = readMappings(ctx.connector.private_settings[SETTING.mappings]);
  const mappings = stored.filter(({ enabled, action }) => enabled && record.actions.some(({ key }) => key === action));
  if (mappings.length === 0) {
    for (const { message } of messages)
      ctx.report(message, { result: "skipped", reason: "No mapping is switched on." });
    return;
  }
  const done = await doneBefore(
    ctx,
    messages,
    mappings.map(({ id }) => id),
  );
  const items = messages.flatMap(({ subject, events }) =>
    events.map((event): DeliverItem => ({ subject, event, done: done.get(event.messageId) ?? [] })),
  );
  const outcomes = await askThread(host, record, { account, mappings, items });
  const byEvent = new Map(items.map(({ event }, index) => [event.messageId, outcomes[index] ?? []]));
  await remember(ctx, byEvent);
  const worst: Outcome[] = [];
  for (const { message, events } of messages) {
    const ended = events.flatMap(({ messageId }) => [
      ...(done.get(messageId) ?? []).map((): Outcome => ({ kind: "accepted" })),
      ...(byEvent.get(messageId) ?? []).map(({ outcome }) => outcome),
    ]);
    const outcome = worstOf(ended);
    if (outcome) worst.push(outcome);
    ctx.report(message, reportOf(outcome));
  }
  await throwPending(ctx, worstOf(worst));
}

/**
 * A destination that did not finish is no fault of the network: Muster makes the calls smaller until one message is to blame. When
 * another connector may be the one that stopped it, the messages are not to blame, and the next call has a thread of its own.
 */
async function askThread(
  host: DestinationHost,
  record: DestinationRecord,
  input: { account: Account; mappings: ReturnType<typeof readMappings>; items: DeliverItem[] },
): Promise<ItemOutcome[][]> {
  if (input.items.length === 0) return [];
  try {
    return await host.threads.call(record.name, "deliver", input);
  } catch (error) {
    if (error instanceof DestinationStopped) {
      throw error.wasShared ? new TransientError(error.message) : new LogicError(error.message, "destination.stopped");
    }
    if (!(error instanceof DestinationFailure)) throw error;
    return input.items.map(() => input.mappings.map(({ id }) => ({ mapping: id, outcome: error.outcome })));
  }
}

function reportOf(outcome: Outcome | undefined): Report {
  if (!outcome) return { result: "skipped", reason: "It triggers no mapping." };
  const { kind, status, reason, exchange } = outcome;
  return {
    result: isPending(outcome) ? "retried" : (kind as "accepted" | "refused" | "skipped"),
    ...(status === undefined ? {} : { status }),
    ...(exchange === undefined ? {} : { body: exchange }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function keyOf(messageId: string, mapping: string): string {
  return `done:${mapping}:${messageId}`;
}

/** The mappings that have taken an event before, by the id of the event. */
async function doneBefore(
  ctx: Context,
  messages: readonly MessageEvents[],
  mappings: readonly string[],
): Promise<Map<string, string[]>> {
  const done = new Map<string, string[]>();
  for (const { messageId } of messages.flatMap(({ events }) => events)) {
    const known = await Promise.all(mappings.map((mapping) => ctx.cache.get<boolean>(keyOf(messageId, mapping))));
    const taken = mappings.filter((_mapping, index) => known[index] === true);
    if (taken.length > 0) done.set(messageId, taken);
  }
  return done;
}

/** Only calls that will be repeated need it. A test and an export may send the same event as often as they like. */
async function remember(ctx: Context, byEvent: ReadonlyMap<string, ItemOutcome[]>): Promise<void> {
  const all = [...byEvent].flatMap(([messageId, outcomes]) => outcomes.map((each) => ({ messageId, ...each })));
  if (!all.some(({ outcome }) => isPending(outcome))) return;
  const taken = all.filter(({ outcome }) => outcome.kind === "accepted");
  await Promise.all(taken.map(({ messageId, mapping }) => ctx.cache.set(keyOf(messageId, mapping), true, REMEMBER_MS)));
}
