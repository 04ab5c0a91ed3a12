import { createHash } from "node:crypto";
import { Refusal } from "@muster/protocol";
import { DiscardPolicy, JetStreamApiError, RetentionPolicy, StorageType, type StreamInfo } from "@nats-io/jetstream";
import type { Lane } from "../../../domain/entries/lanes.js";
import type { StreamIdentity } from "../log-home.js";
import { type NatsClient, unreachable } from "./nats-client.js";

export interface LogStreamsOptions {
  client: NatsClient;
  /** How many streams organizations are spread over. */
  count: number;
  /** On how many nodes each message is; undefined: three in a cluster, one without. */
  replicas: number | undefined;
}

/** What was found when somebody looked at a stream. */
export interface StreamLook {
  lastSequence: number;
  /** When the look began, on the clock of `performance.now`. */
  at: number;
}

const PREFIX = "MUSTER_LOG_";
const STREAM_NOT_FOUND = 10_059;
// Copies of a batch within this time are recognised by NATS itself, later ones when they are read.
const DUPLICATE_WINDOW_NS = 2 * 60 * 1e9;
// How long a check of a stream's identity is cached.
const FRESH_MS = 5_000;

/** The streams of JetStream that hold ingestion logs, each those of a group of organizations. */
export class LogStreams {
  readonly #options: LogStreamsOptions;
  readonly #looks = new Map<string, { at: number; connection: number; info: StreamInfo }>();

  constructor(options: LogStreamsOptions) {
    this.#options = options;
  }

  /**
   * The stream where a new organization is placed. It is created when it does not exist. A stream that was truncated is
   * succeeded by one with another name.
   */
  async choose(
    organizationId: string,
    truncated: readonly StreamIdentity[],
  ): Promise<StreamIdentity & { lastSequence: number }> {
    const group = createHash("sha256").update(organizationId).digest().readUInt32BE() % this.#options.count;
    for (let generation = 1; ; generation++) {
      const name = `${PREFIX}${group}${generation === 1 ? "" : `_${generation}`}`;
      const { created, state } = (await this.#find(name)) ?? (await this.#create(name));
      if (truncated.some((stream) => stream.name === name && stream.created === created)) continue;
      return { name, created, lastSequence: state.last_seq };
    }
  }

  /** Throws when a stream is missing, or was lost and created again: its sequences would start again from 1. */
  async require({ name, created }: StreamIdentity): Promise<StreamLook> {
    const look = await this.#look(name);
    if (look?.info.created === created) return { lastSequence: look.info.state.last_seq, at: look.at };
    const what = look ? "was made again after it was lost" : "does not exist";
    throw new Refusal(
      "unavailable",
      `The stream ${name} of NATS ${what}. Restore it from its backup, or give it up with \`muster log move --abandon\`.`,
      { retryAfter: 30 },
    );
  }

  /** The last sequence of a stream now; undefined when it is missing or was created again. */
  async readLastSequence({ name, created }: StreamIdentity): Promise<number | undefined> {
    const info = await this.#find(name);
    return info?.created === created ? info.state.last_seq : undefined;
  }

  /** Whether a stream exists and is not a new stream with the same name. */
  async has({ name, created }: StreamIdentity): Promise<boolean> {
    return (await this.#look(name))?.info.created === created;
  }

  async #look(name: string): Promise<{ info: StreamInfo; at: number } | undefined> {
    const look = this.#looks.get(name);
    const isFresh =
      look && look.connection === this.#options.client.connections && performance.now() - look.at < FRESH_MS;
    if (isFresh) return look;
    await this.#find(name);
    return this.#looks.get(name);
  }

  async #find(name: string): Promise<StreamInfo | undefined> {
    const at = performance.now();
    const { client } = this.#options;
    const { connections: connection } = client;
    const { jsm } = await client.use();
    try {
      const info = await jsm.streams.info(name);
      this.#looks.set(name, { at, connection, info });
      return info;
    } catch (error) {
      this.#looks.delete(name);
      if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined;
      throw unreachable(error);
    }
  }

  async #create(name: string): Promise<StreamInfo> {
    const { connection, jsm } = await this.#options.client.use();
    const isCluster = connection.info?.cluster !== undefined;
    // Two processes may create the stream at the same time. Equal settings do not conflict.
    const adding = jsm.streams.add({
      name,
      subjects: [`${subjectOfStream(name)}.*.*`],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      // A stream that is full refuses messages instead of dropping old ones, which may not be applied.
      discard: DiscardPolicy.New,
      num_replicas: this.#options.replicas ?? (isCluster ? 3 : 1),
      duplicate_window: DUPLICATE_WINDOW_NS,
    });
    return adding.catch((error: unknown) => {
      if (!(error instanceof JetStreamApiError)) throw unreachable(error);
      const message = `NATS does not make the stream ${name}: ${error.message}.`;
      throw new Refusal("unavailable", message, { retryAfter: 10, cause: error });
    });
  }
}

function subjectOfStream(name: string): string {
  return `muster.log.${name.slice(PREFIX.length)}`;
}

/** The subject of a lane of an organization, or of all its lanes. */
export function subjectOf(stream: string, organizationId: string, lane: Lane | "*"): string {
  if (!/^[\w-]+$/.test(organizationId)) throw new Error(`${organizationId} cannot be a part of a subject of NATS.`);
  return `${subjectOfStream(stream)}.${organizationId}.${lane}`;
}

/** Reads a subject that `subjectOf` has made. */
export function readSubject(subject: string): { organizationId: string; lane: Lane } {
  const [, , , organizationId = "", lane] = subject.split(".");
  return { organizationId, lane: lane as Lane };
}
