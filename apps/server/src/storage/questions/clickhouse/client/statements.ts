import type { ClickHouseClient } from "@clickhouse/client";
import { Refusal } from "@muster/protocol";
import type { Statement } from "@muster/query";
import { isConnectionError } from "../../../connection-error.js";
import { QuestionTimeout } from "../../question-timeout.js";
import { type ClientParams, clientParams } from "./client-params.js";

export interface StatementOptions {
  /** The time limit of statements with `isLimited`; undefined means no limit. */
  timeLimitMs?: number | undefined;
  slowQueryMs?: number | undefined;
  onSlow?: ((sql: string, durationMs: number) => void) | undefined;
  /** Settings of statements that return rows. */
  readingSettings?: Readonly<Record<string, string | number>>;
}

export interface QuestionOptions {
  signal?: AbortSignal | undefined;
  /** Whether the time limit applies, because a client waits for the answer. */
  isLimited?: boolean;
}

/** TIMEOUT_EXCEEDED, and TOO_SLOW, which the engine reports when it expects the former. */
const TIMEOUT_CODES = new Set(["159", "160"]);

/** TOO_MANY_SIMULTANEOUS_QUERIES, NOT_ENOUGH_SPACE, TABLE_IS_READ_ONLY, MEMORY_LIMIT_EXCEEDED. */
const AWAY_CODES = new Set(["202", "243", "242", "241"]);
const RETRY_AFTER_SECONDS = 5;

const EXCEPTION_TAG = "x-clickhouse-exception-tag";

/** Runs statements on a ClickHouse server. */
export class Statements {
  readonly #client: ClickHouseClient;
  readonly #options: StatementOptions;

  constructor(client: ClickHouseClient, options: StatementOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Returns the rows of a compiled statement. */
  ask<Row>({ sql, params }: Statement, options?: QuestionOptions): Promise<Row[]> {
    return this.rows<Row>(sql, clientParams(params), options);
  }

  async rows<Row>(sql: string, params: ClientParams = {}, options: QuestionOptions = {}): Promise<Row[]> {
    const { timeLimitMs, readingSettings } = this.#options;
    options.signal?.throwIfAborted();
    const limit = options.isLimited && timeLimitMs !== undefined ? { max_execution_time: timeLimitMs / 1_000 } : {};
    return this.#timed(sql, async () => {
      try {
        const answer = await this.#client.query({
          query: sql,
          query_params: params,
          format: "JSONEachRow",
          clickhouse_settings: { ...readingSettings, ...limit },
          ...(options.signal ? { abort_signal: options.signal } : {}),
        });
        return (await answer.json()) as Row[];
      } catch (error) {
        // The caller expects the reason of its signal and not the client's own error about the abort.
        options.signal?.throwIfAborted();
        throw isTimeout(error) ? new QuestionTimeout((timeLimitMs ?? 0) / 1_000) : error;
      }
    });
  }

  /** Runs a statement that returns no rows. An insert contains its rows after the first line. */
  run(sql: string, params: ClientParams = {}): Promise<void> {
    return this.#timed(sql, async () => {
      await this.#client.command({ query: sql, query_params: params });
    });
  }

  /** Returns the rows in a ClickHouse format, as a stream. */
  async *stream(sql: string, params: ClientParams, format: string): AsyncIterable<Uint8Array> {
    const answer = await this.#client
      .exec({ query: `${sql}\nformat ${format}`, query_params: params })
      .catch((error: unknown) => {
        throw isAway(error) ? away(error) : error;
      });
    const tag = answer.response_headers[EXCEPTION_TAG];
    const failure = typeof tag === "string" ? `__exception__\r\n${tag}` : undefined;
    for await (const chunk of answer.stream as AsyncIterable<Buffer>) {
      const at = failure === undefined ? -1 : chunk.indexOf(failure);
      if (at !== -1) throw new Error(`ClickHouse failed in the middle of an answer: ${chunk.subarray(at).toString()}`);
      yield chunk;
    }
  }

  async ping(): Promise<void> {
    const ping = await this.#client.ping();
    if (!ping.success) {
      throw new Error(`The ClickHouse server does not answer: ${ping.error.message}`, { cause: ping.error });
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #timed<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
    const { slowQueryMs = Number.POSITIVE_INFINITY, onSlow } = this.#options;
    const startedAt = performance.now();
    try {
      return await work();
    } catch (error) {
      throw isAway(error) ? away(error) : error;
    } finally {
      const durationMs = performance.now() - startedAt;
      if (durationMs > slowQueryMs) onSlow?.(withoutRows(sql), Math.round(durationMs));
    }
  }
}

/** Whether the server is unavailable for now: there is no connection, or it lacks memory or disk space. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isWithoutAnswer = isConnectionError(error) || /^(Timeout error|socket hang up)/.test(error.message);
  return isWithoutAnswer || ("code" in error && AWAY_CODES.has(String(error.code)));
}

function away(cause: unknown): Refusal {
  return new Refusal("unavailable", "The question engine does not answer.", { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/** Keeps only the first line of an insert: the rows after it are personal data, which must not be logged. */
function withoutRows(sql: string): string {
  return sql.startsWith("insert") ? (sql.split("\n", 1)[0] ?? "") : sql;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && TIMEOUT_CODES.has(String(error.code));
}
