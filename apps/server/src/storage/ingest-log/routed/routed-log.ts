import { Refusal } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import type { Entry } from "../../../domain/entries/entry.js";
import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import type { Database, Queryable, Transaction } from "../../postgres/database.js";
import { readApplyCursors } from "../../postgres/ingest/apply-cursors.js";
import { type AppendedLane, IntakeRecorder } from "../../postgres/ingest/intake-recorder.js";
import type { IngestionLog, LogCursor, LogKind } from "../ingestion-log.js";
import type { BatchLimits, LogBatch, LoggedBatch, Receipt } from "../log-batch.js";
import type { HomeStream, LogHome, StreamIdentity, TruncatedStream } from "../log-home.js";
import { AppendSignals } from "../nats/append-signals.js";
import type { LogStreams } from "../nats/log-streams.js";
import { readStreamHeads } from "../nats/look-at-streams.js";
import { type NatsClient, unreachable } from "../nats/nats-client.js";
import { NatsLog } from "../nats/nats-log.js";
import { PUBLISH_LIMIT_MS } from "../nats/publish-batches.js";
import { appendBatches } from "../postgres/ingest-log.js";
import {
  closeHome,
  hasLog,
  listClosed,
  listStreamLanes,
  listStreams,
  noteStreamHeads,
  placeInStream,
  readHomes,
  readNotedHeads,
} from "../postgres/log-homes.js";
import { LogRelocated } from "../postgres/log-relocated.js";
import { listTruncated } from "../postgres/log-streams.js";
import { receiptsIn } from "../postgres/part-receipts.js";
import { PostgresLog } from "../postgres/postgres-log.js";
import { relocateToNextStream, relocateToPostgres, relocateToStream } from "../postgres/relocate-log.js";
import { type KnownBefore, StreamGuard } from "./stream-guard.js";

export interface RoutedLogOptions {
  database: Database;
  client: NatsClient;
  streams: LogStreams;
  /** Called once for each stream that was truncated. */
  onTruncated(stream: TruncatedStream): void;
  /** Called about a temporary problem. */
  onProblem(error: unknown, message: string, organizationId?: string): void;
}

/** A process appends to a log only when it has looked this recently whether the log is still the present one. */
const HOME_FRESH_MS = 5_000;

/**
 * After this time no process writes to a log that was closed: each has looked where the log is, has looked at the stream
 * and has waited for an answer, for some seconds each.
 */
export const CLOSED_MS = HOME_FRESH_MS + 2 * PUBLISH_LIMIT_MS + 1_000;

const MAX_ORGANIZATIONS = 10_000;
// Much longer than it takes until the same is noted in PostgreSQL.
const TOLD_MS = 60_000;

/**
 * The ingestion log when there is NATS: each organization has its log in PostgreSQL or in a stream of JetStream, and
 * log_placements says where. A new organization gets a stream.
 */
export class RoutedLog implements IngestionLog {
  readonly #options: RoutedLogOptions;
  readonly #postgres: PostgresLog;
  readonly #nats: NatsLog;
  readonly #signals: AppendSignals;
  readonly #recorder: IntakeRecorder;
  readonly #guard: StreamGuard;
  readonly #presents = new LRUCache<string, Promise<LogHome>>({ max: MAX_ORGANIZATIONS, ttl: HOME_FRESH_MS });
  readonly #listeners: ((organizationId: string) => void)[] = [];
  /** Positions that processes have told of. */
  readonly #told = new LRUCache<string, LanePositions>({ max: MAX_ORGANIZATIONS, ttl: TOLD_MS });

  constructor(options: RoutedLogOptions) {
    const { database, client, streams, onProblem, onTruncated } = options;
    this.#options = options;
    this.#postgres = new PostgresLog(database);
    this.#nats = new NatsLog({ client, streams });
    this.#signals = new AppendSignals(client);
    this.#recorder = new IntakeRecorder(database, (error) => onProblem(error, "counting appended entries failed"));
    this.#recorder.start();
    this.#guard = new StreamGuard({
      database,
      streams,
      onTruncated,
      onError: (error) => onProblem(error, "noting the sequences of a stream of NATS failed"),
    });
    this.#guard.start();
  }

  async append(organizationId: string, batches: readonly LogBatch[]): Promise<Receipt[]> {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { stream } = await this.#present(organizationId);
      if (stream) return this.#appendToStream(organizationId, batches);
      try {
        return await appendBatches(this.#options.database, organizationId, batches);
      } catch (error) {
        if (!(error instanceof LogRelocated)) throw error;
        this.#presents.delete(organizationId);
      }
    }
    throw isMoving();
  }

  async knownHeads(tx: Queryable, organizationId: string): Promise<LanePositions> {
    const { heads, isElsewhere, begin } = await readNotedHeads(tx, organizationId);
    // The positions of a log in PostgreSQL are exact.
    return isElsewhere ? furthest(heads, this.#toldAfter(organizationId, begin)) : heads;
  }

  async heads(organizationId: string, wanted: LanePositions): Promise<LanePositions> {
    const { database } = this.#options;
    const known = await this.knownHeads(database, organizationId);
    const missing = (Object.keys(wanted) as Lane[]).filter((lane) => (known[lane] ?? 0) < (wanted[lane] ?? 0));
    const { stream } = await this.#present(organizationId);
    if (missing.length === 0 || !stream) return known;
    return furthest(known, await this.#nats.heads(organizationId, stream, missing));
  }

  async lacks(organizationId: string, positions: LanePositions): Promise<boolean> {
    const homes = await readHomes(this.#options.database, organizationId);
    const lanes = Object.keys(positions) as Lane[];
    // A log in PostgreSQL goes on from the end of the former one.
    return homes.some(
      ({ stream }, index) =>
        stream !== undefined &&
        index > 0 &&
        lanes.some((lane) => {
          const position = positions[lane] ?? 0;
          return position > (homes[index - 1]?.until?.[lane] ?? 0) && position <= stream.base + stream.afterSequence;
        }),
    );
  }

  async read(
    tx: Transaction,
    organizationId: string,
    lane: Lane,
    after: LogCursor,
    limits: BatchLimits,
  ): Promise<LoggedBatch[]> {
    // Read in the transaction: what comes after the end of a log that was moved must not be applied.
    const homes = await readHomes(tx, organizationId);
    const { stream, until } =
      homes.find((home) => !home.until || (home.until[lane] ?? 0) > after.position) ?? homes[homes.length - 1]!;
    if (!stream) return this.#postgres.read(tx, organizationId, lane, after, limits);
    const batches = await this.#nats.read(
      receiptsIn(tx, organizationId),
      { stream, organizationId, lane },
      { position: after.position, isBegun: after.offset > 0 },
      limits,
    );
    return until ? batches.filter(({ position }) => position <= (until[lane] ?? 0)) : batches;
  }

  listen(listener: (organizationId: string) => void): void {
    this.#listeners.push(listener);
    if (this.#listeners.length === 1) this.#receive();
  }

  async noteHeads(): Promise<void> {
    const { database, client, streams, onProblem } = this.#options;
    await this.#finishRelocations();
    for (const stream of await listStreams(database)) {
      try {
        if (!(await streams.has(stream))) continue;
        await this.#guard.look(stream);
        await noteStreamHeads(database, stream, await readStreamHeads(await client.use(), stream.name));
      } catch (error) {
        // Work on logs in PostgreSQL goes on.
        onProblem(error, "looking for batches in a stream of NATS failed");
      }
    }
  }

  async dropEntries(
    tx: Transaction,
    organizationId: string,
    page: { lane: Lane; after: number },
    isDropped: (entry: Entry, receivedAt: Date) => boolean,
    isMentionedIn: (text: string) => boolean,
  ): Promise<CleanedPage> {
    const { lane, after } = page;
    const [cursor] = await readApplyCursors(tx, organizationId, [lane]);
    for (const { stream, until } of await readHomes(tx, organizationId)) {
      const end = Math.min(cursor?.position ?? 0, until ? (until[lane] ?? 0) : Number.POSITIVE_INFINITY);
      if (after >= end) continue;
      const cleaned = stream
        ? await this.#nats.dropEntries(
            { stream, organizationId, lane },
            { after, until: end },
            isDropped,
            isMentionedIn,
          )
        : await this.#postgres.dropEntries(tx, organizationId, page, isDropped);
      if (cleaned.end !== undefined) return cleaned;
    }
    return { end: undefined, removed: 0 };
  }

  async dropBatch(organizationId: string, lane: Lane, position: number): Promise<void> {
    const homes = await readHomes(this.#options.database, organizationId);
    const home = homes.find(({ until }) => !until || (until[lane] ?? 0) >= position);
    if (home?.stream) await this.#nats.dropBatch({ ...home, stream: home.stream, organizationId, lane }, position);
  }

  async trim(before: Date): Promise<void> {
    for (const { organizationId, lane, stream, until } of await listStreamLanes(this.#options.database)) {
      await this.#nats.trim({ stream, organizationId, lane }, before, until);
    }
  }

  async remove(organizationId: string): Promise<void> {
    for (const { stream } of await readHomes(this.#options.database, organizationId)) {
      if (stream) await this.#nats.remove(organizationId, stream);
    }
  }

  async move(organizationId: string, to: LogKind, { abandon }: { abandon: boolean }): Promise<void> {
    const { database } = this.#options;
    if (to === "nats") {
      await relocateToStream(database, organizationId, await this.#choose(organizationId));
    } else if (abandon) {
      await relocateToPostgres(database, organizationId, undefined);
    } else {
      await this.#close(organizationId, "postgres");
    }
    this.#presents.delete(organizationId);
  }

  async renew(organizationId: string): Promise<void> {
    await this.#close(organizationId, "nats");
    this.#presents.delete(organizationId);
  }

  async ping(): Promise<void> {
    const { client } = this.#options;
    const { connection } = await client.use();
    if (!client.isUp) throw unreachable();
    await connection.rtt();
  }

  async close(): Promise<void> {
    await this.#recorder.close();
    await this.#guard.close();
    await this.#nats.close();
    await this.#options.client.close();
  }

  #receive(): void {
    void this.#signals
      .receive((organizationId, positions) => this.#hear(organizationId, positions))
      .catch(() => {
        // There is no connection yet.
        setTimeout(() => this.#receive(), HOME_FRESH_MS).unref();
      });
  }

  #hear(organizationId: string, positions: LanePositions): void {
    this.#told.set(organizationId, furthest(this.#told.get(organizationId) ?? {}, positions));
    for (const listener of this.#listeners) listener(organizationId);
  }

  async #close(organizationId: string, to: LogKind): Promise<void> {
    const { database } = this.#options;
    const present = (await readHomes(database, organizationId)).at(-1);
    if (present?.stream) await closeHome(database, organizationId, present.number, to);
    await this.#finishRelocations();
  }

  /** Moves logs that were closed, by this process or by one that was killed. */
  async #finishRelocations(): Promise<void> {
    const { database, onProblem } = this.#options;
    for (const { organizationId, to } of await listClosed(database, CLOSED_MS)) {
      const move = async () =>
        to === "postgres"
          ? relocateToPostgres(database, organizationId, this.#nats)
          : relocateToNextStream(database, organizationId, this.#nats, await this.#choose(organizationId));
      await move().catch((error: unknown) => onProblem(error, "moving an ingestion log failed", organizationId));
    }
  }

  async #choose(organizationId: string): Promise<StreamIdentity & { lastSequence: number }> {
    const { database, streams } = this.#options;
    return streams.choose(organizationId, await listTruncated(database, { inUse: false }));
  }

  async #appendToStream(organizationId: string, batches: readonly LogBatch[]): Promise<Receipt[]> {
    const present = await this.#present(organizationId);
    if (!present.stream) throw isMoving();
    const { stream } = present;
    const digests = batches.flatMap(({ digest }) => digest ?? []);
    const told = this.#toldAfter(organizationId, stream.base + stream.afterSequence);
    const known = await this.#guard.before(organizationId, { ...present, stream }, digests, told);
    if (!known) this.#presents.delete(organizationId);
    // Looked up again, because the database may have taken long.
    const { number, closingAt } = await this.#present(organizationId);
    if (!known || number !== present.number || closingAt) throw isMoving();
    const receipts: Receipt[] = [];
    const fresh = new Map<string, { batch: LogBatch; indexes: number[] }>();
    for (const [index, batch] of batches.entries()) {
      const key = batch.digest?.toString("hex");
      const receipt = key === undefined ? undefined : known.receipts.get(key);
      if (receipt?.isWhole) {
        const { positions, answer } = receipt;
        receipts[index] = { positions, answer, duplicate: true, isDense: false };
        continue;
      }
      const name = key ?? `at ${index}`;
      const first = fresh.get(name);
      if (first) first.indexes.push(index);
      else fresh.set(name, { batch, indexes: [index] });
    }
    const copies = [...fresh.values()];
    const sent = copies.map(({ batch }) => batch);
    const published = await this.#publish(organizationId, stream, sent, known);
    for (const [place, { indexes }] of copies.entries()) {
      const receipt = published[place]!;
      for (const [copy, index] of indexes.entries()) {
        receipts[index] = copy === 0 ? receipt : { ...receipt, duplicate: true };
      }
    }
    await this.#tell(organizationId, sent, published);
    return receipts;
  }

  async #publish(
    organizationId: string,
    stream: HomeStream,
    batches: readonly LogBatch[],
    known: KnownBefore,
  ): Promise<Receipt[]> {
    if (batches.length === 0) return [];
    await this.#guard.compare(stream, await this.#options.streams.require(stream), known);
    const published = await this.#nats.append(organizationId, stream, batches);
    await this.#guard.check(organizationId, stream, batches, published, known);
    return published.map(({ receipt }) => receipt);
  }

  /** Positions above `begin` that processes have told of. Lower ones are of a former log. */
  #toldAfter(organizationId: string, begin: number): LanePositions {
    const told = Object.entries(this.#told.get(organizationId) ?? {});
    return Object.fromEntries(told.filter(([, position]) => position > begin));
  }

  async #tell(organizationId: string, batches: readonly LogBatch[], receipts: readonly Receipt[]): Promise<void> {
    const appended = batches.flatMap(({ parts, receivedAt }, index): AppendedLane[] => {
      const { positions, duplicate } = receipts[index]!;
      if (duplicate) return [];
      return parts.map(({ lane, entryCount }) => ({
        lane,
        position: positions[lane] ?? 0,
        entries: entryCount,
        receivedAt,
      }));
    });
    this.#recorder.add(organizationId, appended);
    const positions = receipts.reduce<LanePositions>((last, receipt) => furthest(last, receipt.positions), {});
    this.#hear(organizationId, positions);
    await this.#signals.send(organizationId, positions);
  }

  /** The present log of an organization. A new organization gets one. */
  #present(organizationId: string): Promise<LogHome> {
    const known = this.#presents.get(organizationId);
    if (known) return known;
    const look = this.#findOrAssign(organizationId);
    this.#presents.set(organizationId, look);
    look.catch(() => this.#presents.delete(organizationId));
    return look;
  }

  async #findOrAssign(organizationId: string): Promise<LogHome> {
    const { database } = this.#options;
    if (!(await hasLog(database, organizationId))) {
      await placeInStream(database, organizationId, await this.#choose(organizationId));
    }
    const homes = await readHomes(database, organizationId);
    return homes[homes.length - 1]!;
  }
}

function furthest(a: LanePositions, b: LanePositions): LanePositions {
  const heads = { ...a };
  for (const lane of Object.keys(b) as Lane[]) heads[lane] = Math.max(heads[lane] ?? 0, b[lane] ?? 0);
  return heads;
}

function isMoving(): Refusal {
  return new Refusal("unavailable", "The ingestion log of this organization is being moved.", { retryAfter: 5 });
}
