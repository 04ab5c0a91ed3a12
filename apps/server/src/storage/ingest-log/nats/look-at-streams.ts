import { DeliverPolicy, type JsMsg, type OrderedConsumerOptions } from "@nats-io/jetstream";
import type { Lane } from "../../../domain/entries/lanes.js";
import { decodeMessage, type LogMessage } from "./log-message.js";
import { readSubject } from "./log-streams.js";
import type { Connected } from "./nats-client.js";

/** The last message of a lane. */
export interface StreamHead {
  organizationId: string;
  lane: Lane;
  seq: number;
  receivedAt: Date;
}

const HEADERS_AT_A_TIME = 500;

/** The last message of every lane that has messages in a stream. */
export async function readStreamHeads(connected: Connected, stream: string): Promise<StreamHead[]> {
  const heads: StreamHead[] = [];
  const options = { deliver_policy: DeliverPolicy.LastPerSubject, filter_subjects: "muster.log.>" };
  await readHeaders(connected, stream, options, ({ subject, seq, headers, data }) => {
    heads.push({ ...readSubject(subject), seq, receivedAt: decodeMessage(headers, data).receivedAt });
    return true;
  });
  return heads;
}

/** The sequence of the last message of a subject; 0 when there is none. */
export async function readLastSequence({ jsm }: Connected, stream: string, subject: string): Promise<number> {
  return (await jsm.streams.getMessage(stream, { last_by_subj: subject }))?.seq ?? 0;
}

/** The sequence of the first message of a subject that was stored at a time or later; undefined when there is none. */
export async function readFirstSince(
  connected: Connected,
  stream: string,
  subject: string,
  since: Date,
): Promise<number | undefined> {
  let first: number | undefined;
  const start = { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() };
  await readHeaders(connected, stream, { ...start, filter_subjects: subject }, ({ seq }) => {
    first = seq;
    return false;
  });
  return first;
}

/** The next messages of a subject after a sequence, a few of them. */
export async function readSome(
  { jsm }: Connected,
  stream: string,
  subject: string,
  { after, until, count }: { after: number; until: number; count: number },
): Promise<(LogMessage & { seq: number })[]> {
  const found: (LogMessage & { seq: number })[] = [];
  let seq = after;
  while (found.length < count) {
    // The leader of the stream answers it, so nothing is missing. The type of the library lacks the second field.
    const request = { seq: seq + 1, next_by_subj: subject };
    const stored = await jsm.streams.getMessage(stream, request);
    if (!stored || stored.seq > until) break;
    seq = stored.seq;
    found.push({ ...decodeMessage(stored.header, stored.data), seq });
  }
  return found;
}

/** Reads the headers of the messages that are there now, until `take` returns false. */
async function readHeaders(
  { js }: Connected,
  stream: string,
  options: Partial<OrderedConsumerOptions>,
  take: (message: JsMsg) => boolean,
): Promise<void> {
  const consumer = await js.consumers.get(stream, { ...options, headers_only: true });
  try {
    if ((await consumer.info(true)).num_pending === 0) return;
    const messages = await consumer.consume({ max_messages: HEADERS_AT_A_TIME });
    for await (const message of messages) if (!take(message) || message.info.pending === 0) break;
  } finally {
    await consumer.delete().catch(() => {});
  }
}
