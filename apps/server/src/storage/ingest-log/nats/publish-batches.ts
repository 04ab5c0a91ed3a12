import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@muster/protocol";
import { JetStreamApiError } from "@nats-io/jetstream";
import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import type { LogBatch, Receipt } from "../log-batch.js";
import type { HomeStream } from "../log-home.js";
import { decodeMessage, type EncodedMessage, encodeBatch } from "./log-message.js";
import { subjectOf } from "./log-streams.js";
import { type Connected, unreachable } from "./nats-client.js";

/** A message that is stored. */
export interface PublishedPart {
  lane: Lane;
  /** Names the part within its batch. */
  part: string;
  seq: number;
  /** NATS had a message with this id already, and gives its sequence. */
  isCopy: boolean;
}

export interface PublishedBatch {
  receipt: Receipt;
  parts: readonly PublishedPart[];
}

/** How long a batch may take from looking up its log to the acknowledgement by NATS. The move of a log waits as long. */
export const PUBLISH_LIMIT_MS = 5_000;

const PAUSE_MS = 100;
// What a message has besides its entries and the answer.
const HEADER_BYTES = 4_096;
const STORE_FAILED = 10_077;

/**
 * Publishes batches of one organization, all at once, and waits until every message is stored on as many nodes as its
 * stream asks for. While a node is replaced, messages are tried again: NATS recognises a message that it has already.
 */
export async function publishBatches(
  connected: Connected,
  organizationId: string,
  { name, base }: HomeStream,
  batches: readonly LogBatch[],
): Promise<PublishedBatch[]> {
  const deadline = performance.now() + PUBLISH_LIMIT_MS;
  return Promise.all(
    batches.map(async (batch): Promise<PublishedBatch> => {
      const encoded = encodeBatch(organizationId, batch);
      const lanes = groupByLane(encoded);
      const published = await Promise.all(
        [...lanes].map(async ([lane, messages]) => {
          const acks: StoredMessage[] = [];
          // One after the other, because a retried part must not be stored after the parts that follow it.
          for (const message of messages) {
            acks.push(await publish(connected, name, subjectOf(name, organizationId, lane), message, deadline));
          }
          return { lane, acks };
        }),
      );
      const positions: LanePositions = {};
      for (const { lane, acks } of published) positions[lane] = base + acks.at(-1)!.seq;
      const duplicate = published.every(({ acks }) => acks.every((ack) => ack.duplicate));
      const first = published.find(({ lane }) => lane === encoded[0]?.lane)?.acks[0];
      const answer = duplicate && first ? await readAnswer(connected, name, first.seq) : undefined;
      const parts = published.flatMap(({ lane, acks }) =>
        acks.map(({ part, seq, isCopy }): PublishedPart => ({ lane, part, seq, isCopy })),
      );
      return { receipt: { positions, answer: answer ?? batch.answer, duplicate, isDense: false }, parts };
    }),
  );
}

function groupByLane(messages: readonly EncodedMessage[]): Map<Lane, EncodedMessage[]> {
  const lanes = new Map<Lane, EncodedMessage[]>();
  for (const message of messages) lanes.set(message.lane, [...(lanes.get(message.lane) ?? []), message]);
  return lanes;
}

interface StoredMessage {
  part: string;
  seq: number;
  isCopy: boolean;
  /** Whether the batch was received before. */
  duplicate: boolean;
}

async function publish(
  { connection, js }: Connected,
  stream: string,
  subject: string,
  { id, part, headers, data }: EncodedMessage,
  deadline: number,
): Promise<StoredMessage> {
  const limit = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
  if (data.length + HEADER_BYTES > limit) {
    const message = `Entries of the batch have ${data.length} bytes when they are compressed. NATS takes messages of ${limit} bytes (max_payload).`;
    throw new Refusal("payload_too_large", message);
  }
  for (let attempt = 1; ; attempt++) {
    const timeout = deadline - performance.now();
    if (timeout <= 0) throw unreachable();
    try {
      const expect = { streamName: stream };
      const { seq, duplicate } = await js.publish(subject, data, { msgID: id, headers, timeout, expect });
      // A later attempt finds the message that an earlier one has stored without an answer.
      return { part, seq, isCopy: duplicate, duplicate: duplicate && attempt === 1 };
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === STORE_FAILED) {
        throw new Refusal("unavailable", `The stream ${stream} of NATS is full.`, { retryAfter: 10, cause: error });
      }
      if (performance.now() + PAUSE_MS >= deadline) throw unreachable(error);
      await sleep(PAUSE_MS);
    }
  }
}

/** The answer to the first copy of a batch; undefined when that is not in the stream any more. */
async function readAnswer({ jsm }: Connected, stream: string, seq: number): Promise<string | undefined> {
  const stored = await jsm.streams.getMessage(stream, { seq }).catch((error: unknown) => {
    throw unreachable(error);
  });
  return stored ? decodeMessage(stored.header, stored.data).answer : undefined;
}
