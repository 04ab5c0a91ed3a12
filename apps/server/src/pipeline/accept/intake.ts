import { type BatchAnswer, type EntryVerdict, Refusal } from "@muster/protocol";
import { isProof } from "../../domain/analytics/call-sender.js";
import { listsRefused, MAX_LISTED, refusedCall, shownCall } from "../../domain/analytics/refused-call.js";
import { BatchRefusal } from "../../domain/entries/batch-refusal.js";
import type { Entry } from "../../domain/entries/entry.js";
import { formatPosition, LANE, type Lane } from "../../domain/entries/lanes.js";
import type { EntrySource } from "../../domain/entries/recent-entry.js";
import { parseSafely } from "../../runtime/json/parse-safely.js";
import { Breather } from "../../runtime/loops/breather.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import { decompressEntries } from "../../storage/ingest-log/compressed-entries.js";
import type { IngestionLog } from "../../storage/ingest-log/ingestion-log.js";
import type { LogBatch, Receipt } from "../../storage/ingest-log/log-batch.js";
import type { NewRejection } from "../../storage/postgres/ingest/rejected-entries.js";
import type { BufferedPart } from "../buffers/batch-buffer.js";
import type { RecentEntries } from "../recent-entries.js";
import { type BodySender, digestOfKey } from "./admit-body.js";
import type { Backlog } from "./backlog.js";
import { compressLanes } from "./compress-lanes.js";
import type { CompressedPart } from "./lane-compressor.js";
import type { AdmissionPort } from "./open-admission.js";

export interface IntakeOptions {
  log: Pick<IngestionLog, "append">;
  /** Where gateway bodies are read: on this thread or on others. */
  admission: Pick<AdmissionPort, "admit">;
  metrics: Metrics;
  backlog: Backlog;
  /** Where people watch entries arrive. */
  recent: RecentEntries;
  /** Lists refused calls with the rejected entries. */
  listRefused(organizationId: string, rejections: readonly NewRejection[]): Promise<void>;
  /** Called once batches are durable, with their rows of the log. */
  onAppended(organizationId: string, parts: readonly BufferedPart[]): void;
}

export interface ReceivedBatch {
  from: BodySender;
  /** JSON. The buffer may be detached afterwards, because it is transferred to another thread. */
  body: Buffer;
  idempotencyKey: string | undefined;
}

// One transaction takes the batches that came in while the one before was committing, up to this many and this much.
const BATCHES_PER_COMMIT = 64;
const BYTES_PER_COMMIT = 4 * 1024 * 1024;
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

interface AcceptedBatch extends LogBatch {
  parts: readonly CompressedPart[];
}

interface QueuedBatch {
  batch: AcceptedBatch;
  /** The size of its entries, which are in memory until the batch is stored. */
  bytes: number;
  /** The size that is stored. */
  compressedBytes: number;
  resolve(receipt: Receipt): void;
  reject(error: unknown): void;
}

/**
 * The accept stage. It checks each entry and appends the accepted ones of a batch to the log, one row for each
 * lane. Batches that come at the same time are committed together.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #queues = new Map<string, QueuedBatch[]>();
  readonly #flushing = new Map<string, Promise<void>>();
  #queuedBytes = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Accepts a batch that a client has sent. */
  async acceptBatch(organizationId: string, { from, body, idempotencyKey }: ReceivedBatch): Promise<BatchAnswer> {
    const { admission, metrics, recent } = this.#options;
    await this.#requireRoom(organizationId);
    const receivedAt = new Date();
    const { connectorId, source } = senderOf(from);
    const { parts, accepted, rejected, digest, refusedTexts } = await admission.admit(organizationId, body, {
      from,
      receivedAtMs: receivedAt.getTime(),
      idempotencyKey,
      keepsRefused: recent.isWatched(organizationId) || (from.kind === "calls" && listsRefused(from.sender)),
    });
    metrics.entries.inc({ outcome: "refused" }, rejected.length);
    const refused = await parseRefused(refusedTexts);
    const calls = from.kind === "calls" ? refused.map((given) => shownCall(given, from.type)) : [];
    if (refused.length > 0) {
      const verdicts = rejected.map((verdict, index) => ({ ...verdict, index }));
      const shown = from.kind === "calls" ? calls.map((body) => ({ type: body.type, body })) : refused;
      this.noteRefused(organizationId, { connectorId, source }, shown, verdicts);
    }
    if (accepted === 0) {
      await this.#listRefused(organizationId, from, calls, rejected);
      throw new BatchRefusal(rejected);
    }
    const receipt = await this.#append(organizationId, {
      connectorId,
      receivedAt,
      digest,
      parts,
      answer: JSON.stringify({ accepted, rejected }),
    });
    const { positions, answer, duplicate } = receipt;
    metrics.entries.inc({ outcome: duplicate ? "duplicate" : "accepted" }, accepted);
    this.#noteAccepted(organizationId, parts, duplicate);
    if (!duplicate) await this.#listRefused(organizationId, from, calls, rejected);
    const verdicts = JSON.parse(answer) as Pick<BatchAnswer, "accepted" | "rejected">;
    return { position: formatPosition(positions), ...verdicts, duplicate };
  }

  /** Accepts entries that the server itself has made: of single calls and retries. Returns their position. */
  async acceptEntries(
    organizationId: string,
    connectorId: string,
    entries: Entry[],
    { lane = LANE.live, idempotencyKey }: { lane?: Lane; idempotencyKey?: string } = {},
  ): Promise<string> {
    await this.#requireRoom(organizationId);
    return this.#acceptParts(organizationId, connectorId, await compressLanes(entries, lane), idempotencyKey);
  }

  /** Accepts entries that are compressed already, such as those of imports. Returns their position. */
  async acceptCompressed(
    organizationId: string,
    connectorId: string,
    parts: readonly CompressedPart[],
    idempotencyKey: string,
  ): Promise<string> {
    await this.#requireRoom(organizationId);
    return this.#acceptParts(organizationId, connectorId, parts, idempotencyKey);
  }

  async #acceptParts(
    organizationId: string,
    connectorId: string,
    parts: readonly CompressedPart[],
    idempotencyKey: string | undefined,
  ): Promise<string> {
    const receipt = await this.#append(organizationId, {
      connectorId,
      receivedAt: new Date(),
      // A key of a call is kept apart from the same key of a gateway batch, whose answer has another shape.
      digest: idempotencyKey === undefined ? undefined : digestOfKey(connectorId, `call ${idempotencyKey}`),
      parts,
      answer: "",
    });
    const entries = parts.reduce((sum, { entryCount }) => sum + entryCount, 0);
    this.#options.metrics.entries.inc({ outcome: "accepted" }, entries);
    this.#noteAccepted(organizationId, parts, receipt.duplicate);
    return formatPosition(receipt.positions);
  }

  /** Shows refused entries to people who watch. A verdict names its entry by the place among the given ones. */
  noteRefused(
    organizationId: string,
    from: { connectorId: string; source: EntrySource },
    given: readonly unknown[],
    verdicts: readonly EntryVerdict[],
  ): void {
    const { recent } = this.#options;
    if (verdicts.length === 0 || !recent.isWatched(organizationId)) return;
    const refused = verdicts.map(({ index, code, message }) => {
      return { outcome: "refused" as const, ...from, given: given[index], code, message };
    });
    recent.note(organizationId, refused);
  }

  async #listRefused(
    organizationId: string,
    from: BodySender,
    calls: readonly Record<string, unknown>[],
    verdicts: readonly EntryVerdict[],
  ): Promise<void> {
    if (calls.length === 0 || from.kind !== "calls" || !listsRefused(from.sender)) return;
    const { sender } = from;
    const listed = calls.slice(0, MAX_LISTED).map((call, index) => {
      return refusedCall(call, verdicts[index]!, sender, Date.now());
    });
    await this.#options.listRefused(organizationId, listed);
  }

  #noteAccepted(organizationId: string, parts: readonly CompressedPart[], isDuplicate: boolean): void {
    const { recent } = this.#options;
    if (!recent.isWatched(organizationId)) return;
    const outcome = isDuplicate ? "duplicate" : "accepted";
    recent.note(
      organizationId,
      parts.flatMap(decompressEntries).map((entry) => ({ outcome, entry })),
    );
  }

  /** Waits until all batches in the queues are durable. */
  async drain(): Promise<void> {
    await Promise.all(this.#flushing.values());
  }

  /** Refuses before memory, the backlog or the disk is full. */
  async #requireRoom(organizationId: string): Promise<void> {
    const problem =
      this.#queuedBytes > MAX_QUEUED_BYTES
        ? "Too much is waiting to be stored."
        : await this.#options.backlog.problem(organizationId);
    if (problem) throw new Refusal("unavailable", problem, { retryAfter: 2 });
  }

  async #append(organizationId: string, batch: AcceptedBatch): Promise<Receipt> {
    const bytes = batch.parts.reduce((sum, part) => sum + part.bytes, 0);
    const compressedBytes = batch.parts.reduce((sum, { payload }) => sum + payload.length, 0);
    this.#queuedBytes += bytes;
    const appended = new Promise<Receipt>((resolve, reject) => {
      const queue = this.#queues.get(organizationId) ?? [];
      queue.push({ batch, bytes, compressedBytes, resolve, reject });
      this.#queues.set(organizationId, queue);
    });
    if (!this.#flushing.has(organizationId)) this.#flushing.set(organizationId, this.#flush(organizationId));
    return appended;
  }

  /** Appends the queued batches of an organization, many in one transaction, until none is left. */
  async #flush(organizationId: string): Promise<void> {
    for (;;) {
      const taken = takeForCommit(this.#queues.get(organizationId) ?? []);
      if (taken.length === 0) {
        // In one turn with the look, so that a batch that comes later begins another flush.
        this.#queues.delete(organizationId);
        this.#flushing.delete(organizationId);
        return;
      }
      try {
        const batches = taken.map(({ batch }) => batch);
        const receipts = await this.#options.log.append(organizationId, batches);
        this.#passOn(organizationId, batches, receipts);
        for (const [index, { resolve }] of taken.entries()) resolve(receipts[index]!);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
      for (const { bytes } of taken) this.#queuedBytes -= bytes;
    }
  }

  /** Passes new batches on to the applier. */
  #passOn(organizationId: string, batches: readonly AcceptedBatch[], receipts: readonly Receipt[]): void {
    const parts = batches.flatMap(({ parts: compressed, receivedAt }, index) => {
      const { positions, duplicate, isDense } = receipts[index]!;
      if (duplicate || !isDense) return [];
      return compressed.map(({ lane, entryCount, payload, bytes }, place) => {
        // The parts of a lane have positions in a row, and the receipt names the last one.
        const after = compressed.slice(place + 1).filter((other) => other.lane === lane).length;
        return { lane, batch: { position: positions[lane]! - after, receivedAt, entryCount, payload, bytes } };
      });
    });
    if (parts.length > 0) this.#options.onAppended(organizationId, parts);
  }
}

function senderOf(from: BodySender): { connectorId: string; source: EntrySource } {
  if (from.kind === "entries") return { connectorId: from.connector.id, source: "connector" };
  return { connectorId: from.sender.connectorId, source: isProof(from.sender) ? "connector" : "browser" };
}

/** Takes the first batches of a queue, at least one. */
function takeForCommit(queue: QueuedBatch[]): QueuedBatch[] {
  let count = 0;
  for (let bytes = 0; count < Math.min(queue.length, BATCHES_PER_COMMIT) && bytes < BYTES_PER_COMMIT; count++) {
    bytes += queue[count]!.compressedBytes;
  }
  return queue.splice(0, count);
}

/** The refused entries as people see them who watch. One that is too large to be read has no text. */
async function parseRefused(texts: readonly string[]): Promise<unknown[]> {
  const breather = new Breather();
  const given: unknown[] = [];
  for (const text of texts) {
    if (breather.isDue) await breather.pause();
    given.push(text === "" ? undefined : parseSafely(text));
  }
  return given;
}
