import { createHash } from "node:crypto";
import { statfs } from "node:fs/promises";
import { type BatchAnswer, type Brand, Refusal } from "@muster/protocol";
import { admitEntries } from "../../domain/entries/admit-entry.js";
import { BatchRefusal } from "../../domain/entries/batch-refusal.js";
import type { Entry } from "../../domain/entries/entry.js";
import { LANE, type Lane, printPosition } from "../../domain/entries/lanes.js";
import type { Metrics } from "../../runtime/metrics.js";
import type { Database } from "../../storage/postgres/database.js";
import { backlogOf } from "../../storage/postgres/ingest/apply-cursors.js";
import { appendBatches, type LogBatch, packEntries, type Receipt } from "../../storage/postgres/ingest/ingest-log.js";
import type { Arrivals } from "./arrivals.js";

export interface IntakeOptions {
  database: Database;
  brand: Brand;
  metrics: Metrics;
  maxBacklogEntries: number;
  /** The disk the log is on, when it is ours to watch. */
  dataDir: string | undefined;
  arrivals: Arrivals;
  /** Called once batches are durable. */
  onAppended(organizationId: string): void;
}

export interface GatewayBatch {
  batch: readonly unknown[];
  timestampMs: number;
  sentAtMs: number;
  idempotencyKey: string | undefined;
}

// One transaction takes what came in while the one before was committing, up to this much.
const BATCHES_PER_COMMIT = 64;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MIN_FREE_BYTES = 256 * 1024 * 1024;
const CHECK_EVERY_MS = 1_000;

/** A batch on its way into the log, with the entries that its payloads hold. */
interface AcceptedBatch extends LogBatch {
  lanes: (LogBatch["lanes"][number] & { entries: Entry[] })[];
}

interface Waiting {
  batch: AcceptedBatch;
  bytes: number;
  resolve(receipt: Receipt): void;
  reject(error: unknown): void;
}

/** The door of the pipeline: verdicts for entries, then one durable row for the batch, committed together with others. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #flushing = new Map<string, Promise<void>>();
  readonly #checked = new Map<string, { at: number; problem: string | undefined }>();
  #waitingBytes = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Takes a batch of the gateway. */
  async acceptBatch(
    organizationId: string,
    connector: { id: string; secret: string },
    given: GatewayBatch,
  ): Promise<BatchAnswer> {
    await this.#checkRoom(organizationId);
    const receivedAt = new Date();
    const { timestampMs, sentAtMs } = given;
    const { entries, rejected } = admitEntries(given.batch, {
      brand: this.#options.brand,
      connector,
      timestampMs,
      sentAtMs,
      receivedAtMs: receivedAt.getTime(),
    });
    this.#options.metrics.entries.inc({ outcome: "refused" }, rejected.length);
    if (entries.length === 0) throw new BatchRefusal(rejected);
    const { idempotencyKey: key } = given;
    const digest = digestOf(connector.id, key === undefined ? `entries ${JSON.stringify(given.batch)}` : `key ${key}`);
    const receipt = await this.#append(organizationId, {
      connectorId: connector.id,
      receivedAt,
      digest,
      lanes: packLanes(entries),
      answer: JSON.stringify({ accepted: entries.length, rejected }),
    });
    const { positions, answer, duplicate } = receipt;
    this.#options.metrics.entries.inc({ outcome: duplicate ? "duplicate" : "accepted" }, entries.length);
    const verdicts = JSON.parse(answer) as Pick<BatchAnswer, "accepted" | "rejected">;
    return { position: printPosition(positions), ...verdicts, duplicate };
  }

  /** Takes entries that were made inside the server: single calls, retries, imports. Returns their position. */
  async acceptEntries(
    organizationId: string,
    connectorId: string,
    entries: Entry[],
    { lane = LANE.live, idempotencyKey }: { lane?: Lane; idempotencyKey?: string } = {},
  ): Promise<string> {
    await this.#checkRoom(organizationId);
    const receipt = await this.#append(organizationId, {
      connectorId,
      receivedAt: new Date(),
      // Its answer is not a batch's answer, so a key that both kinds of call use must not bring them together.
      digest: idempotencyKey === undefined ? undefined : digestOf(connectorId, `call ${idempotencyKey}`),
      lanes: packLanes(entries, lane),
      answer: "",
    });
    this.#options.metrics.entries.inc({ outcome: "accepted" }, entries.length);
    return printPosition(receipt.positions);
  }

  /** Waits until everything handed in is durable. */
  async drain(): Promise<void> {
    await Promise.all(this.#flushing.values());
  }

  async #append(organizationId: string, batch: AcceptedBatch): Promise<Receipt> {
    const bytes = batch.lanes.reduce((sum, { payload }) => sum + payload.length, 0);
    this.#waitingBytes += bytes;
    const done = new Promise<Receipt>((resolve, reject) => {
      const queue = this.#queues.get(organizationId) ?? [];
      queue.push({ batch, bytes, resolve, reject });
      this.#queues.set(organizationId, queue);
    });
    if (!this.#flushing.has(organizationId)) {
      const flush = this.#flush(organizationId).finally(() => this.#flushing.delete(organizationId));
      this.#flushing.set(organizationId, flush);
    }
    return done;
  }

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
        this.#announce(organizationId, batches, receipts);
        for (const [index, { resolve }] of taken.entries()) resolve(receipts[index]!);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
      for (const { bytes } of taken) this.#waitingBytes -= bytes;
    }
  }

  #announce(organizationId: string, batches: readonly AcceptedBatch[], receipts: readonly Receipt[]): void {
    const { arrivals, onAppended } = this.#options;
    const parts = batches.flatMap(({ lanes, receivedAt }, index) => {
      const { positions, duplicate } = receipts[index]!;
      if (duplicate) return [];
      return lanes.map(({ lane, entries }) => ({ lane, batch: { position: positions[lane]!, receivedAt, entries } }));
    });
    if (parts.length === 0) return;
    arrivals.put(organizationId, parts);
    onAppended(organizationId);
  }

  /** Refuses before anything runs out: memory, the backlog of the applier, the disk. */
  async #checkRoom(organizationId: string): Promise<void> {
    const problem =
      this.#waitingBytes > MAX_WAITING_BYTES
        ? "Too much is waiting to be stored."
        : await this.#backlogProblem(organizationId);
    if (problem) throw new Refusal("unavailable", problem, { retryAfter: 2 });
  }

  async #backlogProblem(organizationId: string): Promise<string | undefined> {
    const now = Date.now();
    const checked = this.#checked.get(organizationId);
    if (checked && now - checked.at < CHECK_EVERY_MS) return checked.problem;
    this.#checked.set(organizationId, { at: now, problem: checked?.problem });
    const { database, metrics, maxBacklogEntries, dataDir } = this.#options;
    const backlog = await backlogOf(database, organizationId);
    metrics.backlog.set(backlog);
    let problem: string | undefined;
    if (backlog > maxBacklogEntries) problem = `${backlog} entries are waiting to be applied.`;
    else if (dataDir && (await freeBytes(dataDir)) < MIN_FREE_BYTES) problem = "The disk is nearly full.";
    this.#checked.set(organizationId, { at: now, problem });
    return problem;
  }
}

/** Active entries take the first lane; the rest is live, unless told otherwise. */
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

/** What makes a batch the same batch: its entries alone, or the key its sender gave it. */
function digestOf(connectorId: string, content: string): Buffer {
  return createHash("sha256").update(`${connectorId} ${content}`).digest();
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
