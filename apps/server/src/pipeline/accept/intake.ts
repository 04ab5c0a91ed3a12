import { createHash } from "node:crypto";
import { type BatchAnswer, type Brand, Refusal } from "@muster/protocol";
import { admitEntries } from "../../domain/entries/admit-entry.js";
import { BatchRefusal } from "../../domain/entries/batch-refusal.js";
import type { Entry } from "../../domain/entries/entry.js";
import { LANE, type Lane, printPosition } from "../../domain/entries/lanes.js";
import type { Metrics } from "../../runtime/metrics.js";
import type { Database } from "../../storage/postgres/database.js";
import { appendBatches, type LogBatch, packEntries, type Receipt } from "../../storage/postgres/ingest/ingest-log.js";
import type { Backlog } from "./backlog.js";
import type { BatchBuffer } from "./batch-buffer.js";

export interface IntakeOptions {
  database: Database;
  brand: Brand;
  metrics: Metrics;
  backlog: Backlog;
  batchBuffer: BatchBuffer;
  /** Called once batches are durable. */
  onAppended(organizationId: string): void;
}

export interface GatewayBatch {
  batch: readonly unknown[];
  timestampMs: number;
  sentAtMs: number;
  idempotencyKey: string | undefined;
}

// One transaction takes the batches that came in while the one before was committing, up to this many.
const BATCHES_PER_COMMIT = 64;
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

/** A batch that is ready to be appended to the log, with the entries that its payloads hold. */
interface AcceptedBatch extends LogBatch {
  lanes: (LogBatch["lanes"][number] & { entries: Entry[] })[];
}

interface QueuedBatch {
  batch: AcceptedBatch;
  bytes: number;
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

  /** Accepts a batch of the gateway. */
  async acceptBatch(
    organizationId: string,
    connector: { id: string; secret: string },
    given: GatewayBatch,
  ): Promise<BatchAnswer> {
    const { brand, metrics } = this.#options;
    await this.#requireRoom(organizationId);
    const receivedAt = new Date();
    const { timestampMs, sentAtMs } = given;
    const { entries, rejected } = admitEntries(given.batch, {
      brand,
      connector,
      timestampMs,
      sentAtMs,
      receivedAtMs: receivedAt.getTime(),
    });
    metrics.entries.inc({ outcome: "refused" }, rejected.length);
    if (entries.length === 0) throw new BatchRefusal(rejected);
    const receipt = await this.#append(organizationId, {
      connectorId: connector.id,
      receivedAt,
      digest: batchDigest(connector.id, given),
      lanes: packLanes(entries),
      answer: JSON.stringify({ accepted: entries.length, rejected }),
    });
    const { positions, answer, duplicate } = receipt;
    metrics.entries.inc({ outcome: duplicate ? "duplicate" : "accepted" }, entries.length);
    const verdicts = JSON.parse(answer) as Pick<BatchAnswer, "accepted" | "rejected">;
    return { position: printPosition(positions), ...verdicts, duplicate };
  }

  /** Accepts entries that the server itself has made: of single calls, retries and imports. Returns their position. */
  async acceptEntries(
    organizationId: string,
    connectorId: string,
    entries: Entry[],
    { lane = LANE.live, idempotencyKey }: { lane?: Lane; idempotencyKey?: string } = {},
  ): Promise<string> {
    await this.#requireRoom(organizationId);
    const receipt = await this.#append(organizationId, {
      connectorId,
      receivedAt: new Date(),
      // A key of a call is kept apart from the same key of a gateway batch, whose answer has another shape.
      digest: idempotencyKey === undefined ? undefined : digestOf(connectorId, `call ${idempotencyKey}`),
      lanes: packLanes(entries, lane),
      answer: "",
    });
    this.#options.metrics.entries.inc({ outcome: "accepted" }, entries.length);
    return printPosition(receipt.positions);
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
    const bytes = batch.lanes.reduce((sum, { payload }) => sum + payload.length, 0);
    this.#queuedBytes += bytes;
    const appended = new Promise<Receipt>((resolve, reject) => {
      const queue = this.#queues.get(organizationId) ?? [];
      queue.push({ batch, bytes, resolve, reject });
      this.#queues.set(organizationId, queue);
    });
    if (!this.#flushing.has(organizationId)) {
      const flush = this.#flush(organizationId).finally(() => this.#flushing.delete(organizationId));
      this.#flushing.set(organizationId, flush);
    }
    return appended;
  }

  /** Appends the queued batches of an organization, many in one transaction, until none is left. */
  async #flush(organizationId: string): Promise<void> {
    for (;;) {
      const taken = this.#queues.get(organizationId)?.splice(0, BATCHES_PER_COMMIT) ?? [];
      if (taken.length === 0) {
        this.#queues.delete(organizationId);
        return;
      }
      try {
        const batches = taken.map(({ batch }) => batch);
        const receipts = await appendBatches(this.#options.database, organizationId, batches);
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
    const { batchBuffer, onAppended } = this.#options;
    const parts = batches.flatMap(({ lanes, receivedAt }, index) => {
      const { positions, duplicate } = receipts[index]!;
      if (duplicate) return [];
      return lanes.map(({ lane, entries }) => ({ lane, batch: { position: positions[lane]!, receivedAt, entries } }));
    });
    if (parts.length === 0) return;
    batchBuffer.put(organizationId, parts);
    onAppended(organizationId);
  }
}

/** Active entries go to the active lane, the others to the given one. */
function packLanes(entries: Entry[], lane: Lane = LANE.live): AcceptedBatch["lanes"] {
  const active = entries.filter((entry) => entry.active);
  const rest = active.length === 0 ? entries : entries.filter((entry) => !entry.active);
  const lanes: [Lane, Entry[]][] = [
    [LANE.active, active],
    [lane, rest],
  ];
  return lanes
    .filter(([, part]) => part.length > 0)
    .map(([name, part]) => ({
      lane: name,
      entryCount: part.length,
      payload: packEntries(part),
      entries: part,
    }));
}

/** Two batches of a connector are the same batch when their keys are equal or, without keys, their entries. */
function batchDigest(connectorId: string, { batch, idempotencyKey }: GatewayBatch): Buffer {
  const content = idempotencyKey === undefined ? `entries ${JSON.stringify(batch)}` : `key ${idempotencyKey}`;
  return digestOf(connectorId, content);
}

function digestOf(connectorId: string, content: string): Buffer {
  return createHash("sha256").update(`${connectorId} ${content}`).digest();
}
