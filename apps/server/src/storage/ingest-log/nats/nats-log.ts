import type { Entry } from "../../../domain/entries/entry.js";
import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import { LogGap } from "../../logs/log-gap.js";
import { compressEntries, decompressEntries } from "../compressed-entries.js";
import type { BatchLimits, LogBatch, LoggedBatch } from "../log-batch.js";
import type { HomeStream, StreamLane } from "../log-home.js";
import type { BatchReceipt, PartReceipts, ReadPart, WaitingMessage } from "../part-receipts.js";
import type { ReadMessage } from "./lane-reader.js";
import { LaneReaders } from "./lane-readers.js";
import { type LogStreams, subjectOf } from "./log-streams.js";
import { readFirstSince, readLastSequence, readSome } from "./look-at-streams.js";
import { type NatsClient, unreachable } from "./nats-client.js";
import { type PublishedBatch, publishBatches } from "./publish-batches.js";

export interface NatsLogOptions {
  client: NatsClient;
  streams: LogStreams;
}

// How long an applier waits for a message that it knows of.
const READ_LIMIT_MS = 5_000;
const MESSAGES_PER_PAGE = 20;
const NO_ENTRIES = compressEntries(Buffer.from("[]"));

/** The logs of organizations that are in streams of JetStream. Which ones those are is decided elsewhere. */
export class NatsLog {
  readonly #client: NatsClient;
  readonly #streams: LogStreams;
  readonly #readers: LaneReaders;

  constructor({ client, streams }: NatsLogOptions) {
    this.#client = client;
    this.#streams = streams;
    this.#readers = new LaneReaders(client);
  }

  /** The stream must have been looked at. */
  async append(organizationId: string, stream: HomeStream, batches: readonly LogBatch[]): Promise<PublishedBatch[]> {
    return publishBatches(await this.#client.use(), organizationId, stream, batches);
  }

  /** The last position of some lanes in the stream. A lane without a message is left out. */
  async heads(organizationId: string, stream: HomeStream, lanes: readonly Lane[]): Promise<LanePositions> {
    await this.#streams.require(stream);
    const connected = await this.#client.use();
    const heads: LanePositions = {};
    await Promise.all(
      lanes.map(async (lane) => {
        const seq = await readLastSequence(connected, stream.name, subjectOf(stream.name, organizationId, lane));
        if (seq > stream.afterSequence) heads[lane] = stream.base + seq;
      }),
    );
    return heads;
  }

  /**
   * The next batches of a lane, at least one. Records them in the receipts, so that a later copy of a part is
   * recognised. A part that was read before from another position is such a copy, and comes without its entries.
   * `isBegun`: a part of the next batch was applied before.
   */
  async read(
    receipts: PartReceipts,
    place: StreamLane,
    { position: after, isBegun }: { position: number; isBegun: boolean },
    limits: BatchLimits,
  ): Promise<LoggedBatch[]> {
    const { stream, organizationId, lane } = place;
    await this.#streams.require(stream);
    const reader = this.#readers.of(stream.name, organizationId, lane);
    const messages = await reader.read(sequenceOf(stream, after), limits, READ_LIMIT_MS);
    if (messages.length === 0) {
      await reader.close();
      throw await this.#whyNothing(place, after);
    }
    const digests = messages.flatMap(({ digest }) => digest ?? []);
    const known = await receipts.read(digests);
    if (isBegun && !wasRead(stream, messages[0]!, known)) throw missing(place, after);
    const fresh: ReadPart[] = [];
    const batches = messages.map((message): LoggedBatch => {
      const position = stream.base + message.seq;
      const { receivedAt, entryCount, payload, bytes } = message;
      const receipt = message.digest && known.get(message.digest.toString("hex"));
      if (receipt && !receipt.parts) return withoutEntries(position, receivedAt);
      const first = receipt?.parts?.get(message.part) ?? firstIn(fresh, message);
      if (first !== undefined && first !== position) return withoutEntries(position, receivedAt);
      if (first === undefined) fresh.push(...asReadParts(place, message));
      return { position, receivedAt, entryCount, payload, bytes };
    });
    await receipts.note(fresh);
    return batches;
  }

  /** Why a lane that is known to have messages after a position gave none. */
  async #whyNothing(place: StreamLane, after: number): Promise<Error> {
    const { stream, organizationId, lane } = place;
    const subject = subjectOf(stream.name, organizationId, lane);
    const last = await readLastSequence(await this.#client.use(), stream.name, subject);
    // It has messages, and sends them too slowly.
    if (last > sequenceOf(stream, after)) return unreachable();
    return missing(place, after);
  }

  /** The messages after a position. */
  async readWaiting(place: StreamLane, after: number): Promise<WaitingMessage[]> {
    const { stream, organizationId, lane } = place;
    await this.#streams.require(stream);
    const connected = await this.#client.use();
    const subject = subjectOf(stream.name, organizationId, lane);
    const waiting: WaitingMessage[] = [];
    for (let seq = sequenceOf(stream, after); ; ) {
      const page = { after: seq, until: Number.POSITIVE_INFINITY, count: MESSAGES_PER_PAGE };
      const messages = await readSome(connected, stream.name, subject, page);
      const last = messages.at(-1);
      if (!last) return waiting;
      for (const message of messages) {
        const { entryCount } = message;
        waiting.push({ position: stream.base + message.seq, entryCount, part: asReadParts(place, message)[0] });
      }
      seq = last.seq;
    }
  }

  /**
   * Deletes the messages of one page that have entries to drop. A message cannot be edited, and the other entries of an
   * applied message are not needed any more. NATS overwrites the data of a deleted message.
   */
  async dropEntries(
    place: StreamLane,
    { after, until }: { after: number; until: number },
    isDropped: (entry: Entry, receivedAt: Date) => boolean,
    isMentionedIn: (text: string) => boolean,
  ): Promise<CleanedPage> {
    const { stream, organizationId, lane } = place;
    if (!(await this.#streams.has(stream))) return { end: undefined, removed: 0 };
    const connected = await this.#client.use();
    const messages = await readSome(connected, stream.name, subjectOf(stream.name, organizationId, lane), {
      after: sequenceOf(stream, after),
      until: until - stream.base,
      count: MESSAGES_PER_PAGE,
    });
    let removed = 0;
    for (const { seq, receivedAt, payload, answer } of messages) {
      const dropped = decompressEntries({ payload }).filter((entry) => isDropped(entry, receivedAt)).length;
      if (dropped === 0 && !isMentionedIn(answer)) continue;
      await connected.jsm.streams.deleteMessage(stream.name, seq, true);
      removed += dropped;
    }
    const last = messages.at(-1);
    return { end: last && stream.base + last.seq, removed };
  }

  async dropBatch({ stream }: StreamLane, position: number): Promise<void> {
    if (!(await this.#streams.has(stream))) return;
    const { jsm } = await this.#client.use();
    const seq = position - stream.base;
    if (await jsm.streams.getMessage(stream.name, { seq })) await jsm.streams.deleteMessage(stream.name, seq, true);
  }

  /** Deletes messages that were stored before a time, up to a position. */
  async trim({ stream, organizationId, lane }: StreamLane, before: Date, until: number): Promise<void> {
    if (!(await this.#streams.has(stream))) return;
    const connected = await this.#client.use();
    const subject = subjectOf(stream.name, organizationId, lane);
    const kept = await readFirstSince(connected, stream.name, subject, before);
    // The message with this sequence stays.
    const seq = Math.min(until - stream.base + 1, kept ?? Number.POSITIVE_INFINITY);
    if (seq > 1) await connected.jsm.streams.purge(stream.name, { filter: subject, seq });
  }

  async remove(organizationId: string, stream: HomeStream): Promise<void> {
    if (!(await this.#streams.has(stream))) return;
    const { jsm } = await this.#client.use();
    await jsm.streams.purge(stream.name, { filter: subjectOf(stream.name, organizationId, "*") });
  }

  async close(): Promise<void> {
    await this.#readers.close();
  }
}

/** The sequence at a position, or the last one before the log of the organization began. */
function sequenceOf({ base, afterSequence }: HomeStream, position: number): number {
  return Math.max(position - base, afterSequence);
}

function missing({ stream, lane }: StreamLane, after: number): LogGap {
  return new LogGap(`the ingestion log in ${stream.name}, lane ${lane},`, after + 1, {
    wayOut: "the stream is restored from a backup, or until `muster log renew` goes on without what is missing",
  });
}

/** Whether a message was read before, so that it may be partly applied. One without a digest leaves no trace. */
function wasRead(
  { base }: HomeStream,
  { digest, part, seq }: ReadMessage,
  known: ReadonlyMap<string, BatchReceipt>,
): boolean {
  return digest === undefined || known.get(digest.toString("hex"))?.parts?.get(part) === base + seq;
}

function withoutEntries(position: number, receivedAt: Date): LoggedBatch {
  return { position, receivedAt, entryCount: 0, payload: NO_ENTRIES, bytes: 2 };
}

function firstIn(parts: readonly ReadPart[], { digest, part }: ReadMessage): number | undefined {
  return digest && parts.find((other) => other.part === part && other.digest.equals(digest))?.position;
}

/** None for a message without a digest, which is never recognised. */
function asReadParts({ stream, lane }: StreamLane, message: ReadMessage | Omit<ReadMessage, "bytes">): ReadPart[] {
  const { digest, seq, part, partCount, receivedAt, answer } = message;
  return digest ? [{ digest, lane, position: stream.base + seq, part, partCount, receivedAt, answer }] : [];
}
