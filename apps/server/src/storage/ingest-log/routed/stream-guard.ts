import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@muster/protocol";
import type { LanePositions } from "../../../domain/entries/lanes.js";
import { Loop } from "../../../runtime/loops/loop.js";
import type { Database } from "../../postgres/database.js";
import type { LogBatch } from "../log-batch.js";
import type { HomeStream, LogHome, StreamIdentity, TruncatedStream } from "../log-home.js";
import type { LogStreams, StreamLook } from "../nats/log-streams.js";
import type { PublishedBatch, PublishedPart } from "../nats/publish-batches.js";
import {
  type AppendBasis,
  markTruncated,
  noteSequences,
  readAppendBasis,
  readKnownSequence,
} from "../postgres/log-streams.js";

export interface StreamGuardOptions {
  database: Database;
  streams: Pick<LogStreams, "readLastSequence">;
  /** Called once for each stream that was truncated, by the process that notices it first. */
  onTruncated(stream: TruncatedStream): void;
  onError(error: unknown): void;
}

/** What is known before batches are published: each of them must get a higher sequence. */
export interface KnownBefore extends AppendBasis {
  /** The highest sequence of the stream that anybody was told of. */
  sequence: number;
  /** When this was looked up, on the clock of `performance.now`. */
  at: number;
}

const NOTE_EVERY_MS = 1_000;
// NATS cannot lose its end, start again and get a message from this process in less: the client alone waits 250 ms.
const SURE_MS = 200;
// A node of a cluster that has just become the leader may not have read its own files to their end.
const LOOKS = 3;
const LOOK_AGAIN_MS = 1_000;

/**
 * Notices that a stream has lost its end: NATS was killed before it had written its files, or was restored from an older
 * copy. The next messages then get sequences that the apply cursors may have passed, and would never be applied. So a
 * batch is acknowledged only with a sequence above all that are known.
 */
export class StreamGuard {
  readonly #options: StreamGuardOptions;
  readonly #loop: Loop;
  /** The highest sequences that this process was given. */
  readonly #given = new Map<string, StreamIdentity & { sequence: number }>();
  #unnoted = new Set<string>();
  readonly #looking = new Map<string, Promise<boolean>>();

  constructor(options: StreamGuardOptions) {
    this.#options = options;
    this.#loop = new Loop({
      step: async () => {
        await this.#write();
        return NOTE_EVERY_MS;
      },
      onError: (error) => options.onError(error),
    });
  }

  start(): void {
    this.#loop.start();
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    await this.#write();
  }

  /**
   * What is known before batches are published. Throws when the stream was truncated. Undefined when the log of the
   * organization is another one by now. `told`: positions that other processes have told of.
   */
  async before(
    organizationId: string,
    { number, stream }: LogHome & { stream: HomeStream },
    digests: readonly Buffer[],
    told: LanePositions,
  ): Promise<KnownBefore | undefined> {
    const at = performance.now();
    const given = this.#given.get(keyOf(stream))?.sequence ?? 0;
    const basis = await readAppendBasis(this.#options.database, organizationId, digests);
    if (basis?.number !== number) return undefined;
    if (basis.isTruncated) throw isTruncated(stream);
    const positions = [basis.noted, basis.applied, told].flatMap((each) => Object.values(each));
    const sequence = Math.max(given, basis.knownSequence, ...positions.map((position) => position - stream.base));
    return { ...basis, sequence, at };
  }

  /** Compares where a stream ends with what was known before somebody looked. Throws when the stream was truncated. */
  async compare(stream: StreamIdentity, { lastSequence, at }: StreamLook, known: KnownBefore): Promise<void> {
    if (at < known.at || lastSequence >= known.sequence) return;
    if (await this.look(stream, known.sequence)) throw isTruncated(stream);
  }

  /**
   * Throws unless every message that was published will be applied. When NATS may have been started again since `known`
   * was looked up, the cursors are looked at again.
   */
  async check(
    organizationId: string,
    stream: HomeStream,
    batches: readonly LogBatch[],
    published: readonly PublishedBatch[],
    known: KnownBefore,
  ): Promise<void> {
    for (const [index, { digest }] of batches.entries()) {
      for (const part of published[index]!.parts) {
        const isSound = part.seq > known.sequence || (part.isCopy && willBeApplied(part, digest, stream, known));
        if (!isSound) throw await this.#noteTruncated(stream, known.sequence, part.seq);
      }
    }
    this.note(stream, Math.max(0, ...published.flatMap(({ parts }) => parts.map(({ seq }) => seq))));
    if (performance.now() - known.at <= SURE_MS) return;
    const digests = batches.flatMap(({ digest }) => digest ?? []);
    const now = await readAppendBasis(this.#options.database, organizationId, digests);
    if (!now || now.number !== known.number || now.isTruncated) throw isTruncated(stream);
    for (const [index, { digest }] of batches.entries()) {
      for (const part of published[index]!.parts) {
        if (willBeApplied(part, digest, stream, now)) continue;
        // A batch without a digest leaves no receipt, so it may have been applied already. Its sender decides.
        if (!digest) throw new Refusal("unavailable", "NATS was started again meanwhile.", { retryAfter: 1 });
        throw await this.#noteTruncated(stream, (now.applied[part.lane] ?? 0) - stream.base, part.seq);
      }
    }
  }

  /** Notes a sequence that a stream has given. */
  note({ name, created }: StreamIdentity, sequence: number): void {
    const key = keyOf({ name, created });
    if ((this.#given.get(key)?.sequence ?? 0) >= sequence) return;
    this.#given.set(key, { name, created, sequence });
    this.#unnoted.add(key);
  }

  /** Looks whether a stream has all that is known of it. Returns whether it was truncated. */
  look(stream: StreamIdentity, known = 0): Promise<boolean> {
    const key = keyOf(stream);
    const looking = this.#looking.get(key) ?? this.#look(stream, known).finally(() => this.#looking.delete(key));
    this.#looking.set(key, looking);
    return looking;
  }

  async #look({ name, created }: StreamIdentity, atLeast: number): Promise<boolean> {
    const { database, streams } = this.#options;
    const stream = { name, created };
    const given = this.#given.get(keyOf(stream))?.sequence ?? 0;
    const known = Math.max(atLeast, given, await readKnownSequence(database, stream));
    for (let looks = 1; ; looks++) {
      const found = await streams.readLastSequence(stream);
      if (found === undefined) return false;
      if (found >= known) {
        this.note(stream, found);
        return false;
      }
      if (looks === LOOKS) {
        await this.#noteTruncated(stream, known, found);
        return true;
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async #noteTruncated({ name, created }: StreamIdentity, known: number, found: number): Promise<Refusal> {
    const stream = { name, created, known, found };
    if (await markTruncated(this.#options.database, stream)) this.#options.onTruncated(stream);
    return isTruncated(stream);
  }

  async #write(): Promise<void> {
    const keys = this.#unnoted;
    if (keys.size === 0) return;
    this.#unnoted = new Set();
    const streams = [...keys].flatMap((key) => this.#given.get(key) ?? []);
    await noteSequences(this.#options.database, streams).catch((error: unknown) => {
      for (const key of keys) this.#unnoted.add(key);
      throw error;
    });
  }
}

/** Whether a stored message is after the cursor of its lane, or was read already. */
function willBeApplied(
  { lane, part, seq }: PublishedPart,
  digest: Buffer | undefined,
  { base }: HomeStream,
  { applied, receipts }: AppendBasis,
): boolean {
  if (base + seq > (applied[lane] ?? 0)) return true;
  const receipt = digest && receipts.get(digest.toString("hex"));
  return receipt !== undefined && (receipt.parts === undefined || receipt.parts.has(part));
}

function keyOf({ name, created }: StreamIdentity): string {
  return `${name} ${created}`;
}

function isTruncated({ name }: StreamIdentity): Refusal {
  return new Refusal(
    "unavailable",
    `The stream ${name} of NATS has lost its last records. Nothing is accepted until \`muster log renew --all\` begins a new one.`,
    { retryAfter: 30 },
  );
}
