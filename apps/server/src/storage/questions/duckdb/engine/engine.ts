import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  type DuckDBType,
  type DuckDBValue,
  JSDuckDBValueConverter,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import type { Param, ParamType, Statement } from "@muster/query";
import { DiskSpace, freeBytes } from "../../../../runtime/disk/disk-space.js";
import { QuestionTimeout } from "../../question-timeout.js";
import { quoteText } from "../layout/quoting.js";
import { Pool, type PoolOptions } from "./pool.js";

export interface EngineOptions {
  memoryBytes: number;
  /** 0 means as many as there are processors. */
  threads: number;
  /** The folder for data that does not fit into the engine's memory. */
  spillFolder: string;
  /** How much of the disk must stay free. */
  reservedBytes: number;
  timeLimitMs: number;
  /** Other numbers in tests. */
  readers?: PoolOptions;
  slowQueryMs: number;
  onSlow(sql: string, durationMs: number): void;
}

export type Row = Readonly<Record<string, unknown>>;

export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Whose question it is. Questions about the files themselves have no owner, and count as those of the pipeline. */
  owner?: string;
  isOfPipeline?: boolean | undefined;
}

// Each blocks one of the 16 threads of Node's thread pool while it runs. The others are for files and DNS lookups. A client
// may ask many questions of half a minute. The pipeline and other organizations must not wait for their end.
const READERS = { size: 8, forPipeline: 2, forNewcomers: 1 };
const COPIERS = { size: 4 };

const TYPES: Readonly<Record<ParamType, DuckDBType>> = {
  text: VARCHAR,
  id: VARCHAR,
  number: DOUBLE,
  integer: BIGINT,
  boolean: BOOLEAN,
};

/**
 * A transaction that appends holds two blocks in memory for each column of the table. With blocks of 256 KB, the default
 * of DuckDB, a table of 2,000 columns needs more than a gigabyte for one row.
 */
const BLOCK_BYTES = 64 * 1024;

/**
 * A vacuum rewrites row groups with deleted rows during a checkpoint, and the writer waits for it: 4 s for half a million
 * users of which a twentieth was replaced. Without vacuum a checkpoint takes 0.3 s. So vacuum is off except when it is
 * worth it.
 */
const NO_VACUUM = "set global max_vacuum_tasks = 0";
// Late materialisation: for a page of up to so many rows, the engine reads the documents of these rows only. Above the
// limit, which is 50 by default, it reads the documents of all rows: three times the work with 200,000 users.
const LATE_COLUMNS = "set global late_materialization_max_rows = 1000";
// The limit of the disk for questions is set again when the free space has changed by this much.
const SPILL_STEP_BYTES = 16 * 1024 * 1024;
const VACUUM = "set global max_vacuum_tasks = 100";

function createInstance({ memoryBytes, spillFolder, threads }: EngineOptions): Promise<DuckDBInstance> {
  return DuckDBInstance.create(":memory:", {
    memory_limit: `${Math.floor(memoryBytes / 1024)}KiB`,
    temp_directory: spillFolder,
    // Checkpoints are made on a separate connection. An automatic one would block the present writer.
    checkpoint_threshold: "1TB",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    enable_external_access: "true",
    preserve_insertion_order: "false",
    threads: String(threads || ownThreads()),
  });
}

/** The DuckDB instance of this process, to which the files of organizations are attached. */
export class Engine {
  readonly #instance: DuckDBInstance;
  readonly #readers: Pool<DuckDBConnection>;
  readonly #copiers: Pool<DuckDBConnection>;
  readonly #options: EngineOptions;
  readonly #disk: DiskSpace;
  #spillBytes = Number.POSITIVE_INFINITY;

  private constructor(instance: DuckDBInstance, options: EngineOptions) {
    this.#instance = instance;
    this.#options = options;
    this.#disk = new DiskSpace(dirname(options.spillFolder), options.reservedBytes);
    this.#readers = new Pool(options.readers ?? READERS, () => this.connect());
    this.#copiers = new Pool(COPIERS, () => this.connect());
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const instance = await createInstance(options);
    const connection = await instance.connect();
    // Dates without a zone are read as UTC, whatever the time zone of the server.
    await connection.run("set global timezone = 'UTC'");
    await connection.run(NO_VACUUM);
    await connection.run(LATE_COLUMNS);
    connection.closeSync();
    return new Engine(instance, options);
  }

  async connect(): Promise<DuckDBConnection> {
    return this.#instance.connect();
  }

  /** Runs a statement and returns its rows. It is interrupted at the time limit or when the signal is aborted. */
  async rows<Found extends Row>(statement: Statement, options: RunOptions = {}): Promise<Found[]> {
    const { owner = "", isOfPipeline = owner === "", signal } = options;
    return this.#readers.use(
      { owner: isOfPipeline ? `pipeline ${owner}` : owner, isOfPipeline, signal },
      (connection) => this.#ask<Found>(connection, statement, options),
    );
  }

  async #ask<Found extends Row>(
    connection: DuckDBConnection,
    statement: Statement,
    { signal }: RunOptions,
  ): Promise<Found[]> {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const { timeLimitMs } = this.#options;
    let isLate = false;
    const interrupt = () => connection.interrupt();
    const timer = setTimeout(() => {
      isLate = true;
      interrupt();
    }, timeLimitMs);
    signal?.addEventListener("abort", interrupt, { once: true });
    try {
      // The caller wrote both the statement and the type of its rows.
      return readRows(await runStatement(connection, statement)) as Found[];
    } catch (error) {
      signal?.throwIfAborted();
      throw isLate ? new QuestionTimeout(timeLimitMs / 1_000) : error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", interrupt);
      this.#watch(statement.sql, startedAt);
    }
  }

  /** Runs a statement that writes a file (`copy … to`), without a time limit. Returns the number of rows in the file. */
  async copy(statement: Statement): Promise<number> {
    return this.#copiers.use({ owner: "" }, async (connection) => {
      await this.requireRoom();
      const prepared = await prepare(connection, statement);
      try {
        const [row] = await (await prepared.run()).getRows();
        return Number(row?.[0] ?? 0);
      } finally {
        prepared.destroySync();
      }
    });
  }

  /** Runs a statement without parameters on a separate connection, without a time limit. */
  async run(sql: string): Promise<void> {
    const connection = await this.connect();
    const startedAt = performance.now();
    try {
      await connection.run(sql);
    } finally {
      connection.closeSync();
      this.#watch(sql, startedAt);
    }
  }

  /** Attaches a file, which is created if it does not exist. An existing file keeps its size of blocks. */
  async attach(path: string, databaseName: string): Promise<void> {
    const isNew = await stat(path).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === "ENOENT",
    );
    await this.run(`attach ${quoteText(path)} as ${databaseName}${isNew ? ` (block_size ${BLOCK_BYTES})` : ""}`);
  }

  /**
   * Replays the write-ahead log of a file in an instance of its own. Throws when that fails. A damaged log can make DuckDB
   * invalidate the whole instance, with the files of all organizations.
   */
  async rehearse(path: string): Promise<void> {
    const instance = await createInstance(this.#options);
    try {
      const connection = await instance.connect();
      try {
        await connection.run(`attach ${quoteText(path)} as rehearsed`);
        // Closing writes a checkpoint. When the disk is full, the log stays and is replayed again.
        await connection.run("detach rehearsed").catch(() => {});
      } finally {
        connection.closeSync();
      }
    } finally {
      instance.closeSync();
    }
  }

  /** Refuses to write more when the disk is nearly full, or would be after `bytes` more. */
  async requireRoom(bytes = 0): Promise<void> {
    await (bytes > 0 ? this.#disk.requireFor(bytes) : this.#disk.require());
  }

  /** Lets questions that do not fit into memory use the disk, except what must stay free of it. */
  async limitSpill(): Promise<void> {
    const { spillFolder, reservedBytes } = this.#options;
    const bytes = Math.max(0, (await freeBytes(dirname(spillFolder))) - reservedBytes);
    if (Math.abs(bytes - this.#spillBytes) < SPILL_STEP_BYTES) return;
    this.#spillBytes = bytes;
    // DuckDB refuses a limit below the current use. The limit is set again later.
    await this.run(`set global max_temp_directory_size = '${Math.floor(bytes / 1024)}KiB'`).catch(() => {
      this.#spillBytes = Number.POSITIVE_INFINITY;
    });
  }

  /** Writes the write-ahead log of a file into the file and, with vacuum, removes deleted rows from the file. */
  async checkpoint(databaseName: string, withVacuum: boolean): Promise<void> {
    if (withVacuum) await this.run(VACUUM);
    try {
      await this.run(`checkpoint ${databaseName}`);
    } finally {
      if (withVacuum) await this.run(NO_VACUUM);
    }
  }

  async close(): Promise<void> {
    for (const pool of [this.#readers, this.#copiers]) {
      for (const connection of await pool.close()) connection.closeSync();
    }
    this.#instance.closeSync();
  }

  #watch(sql: string, startedAt: number): void {
    const durationMs = performance.now() - startedAt;
    if (durationMs > this.#options.slowQueryMs) this.#options.onSlow(sql, Math.round(durationMs));
  }
}

async function runStatement(connection: DuckDBConnection, statement: Statement): Promise<DuckDBMaterializedResult> {
  // Preparing it first would take one more turn of the event loop.
  if (Object.keys(statement.params).length === 0) return connection.run(statement.sql);
  const prepared = await prepare(connection, statement);
  try {
    return await prepared.run();
  } finally {
    prepared.destroySync();
  }
}

/** Prepares a statement and binds its values. Values that the statement does not use are ignored. */
export async function prepare(
  connection: DuckDBConnection,
  { sql, params }: Statement,
): Promise<DuckDBPreparedStatement> {
  const prepared = await connection.prepare(sql);
  for (let index = 1; index <= prepared.parameterCount; index++) {
    const param = params[prepared.parameterName(index)];
    if (param === undefined) continue;
    if (Array.isArray(param.value)) {
      const items = param.value.map((value) => boundValue(param.type, value));
      prepared.bindList(index, listValue(items), LIST(TYPES[param.type]));
    } else prepared.bindValue(index, boundValue(param.type, param.value as Scalar), TYPES[param.type]);
  }
  return prepared;
}

/**
 * The rows of a result that is already in memory. The library would fetch each chunk in a thread of the pool, with one
 * turn of the event loop for each chunk.
 */
export function readRows(result: DuckDBMaterializedResult): Row[] {
  const names = result.deduplicatedColumnNames();
  const rows: Row[] = [];
  for (let index = 0; index < result.chunkCount; index++) {
    for (const values of result.getChunk(index).convertRows(JSDuckDBValueConverter)) {
      rows.push(Object.fromEntries(names.map((name, column) => [name, values[column]])));
    }
  }
  return rows;
}

type Scalar = Exclude<Param["value"], readonly unknown[]>;

function boundValue(type: ParamType, value: Scalar): DuckDBValue {
  if (type === "integer") return BigInt(value);
  return type === "text" && typeof value === "string" ? value.toWellFormed() : value;
}

/**
 * Half of the processors. The calling thread spins while another thread of the engine works for it, so with two threads on
 * two processors a record cost a quarter more processor time than with one thread.
 */
function ownThreads(): number {
  return Math.max(1, Math.floor(availableParallelism() / 2));
}
