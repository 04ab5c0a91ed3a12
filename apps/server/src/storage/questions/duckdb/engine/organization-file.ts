import { stat } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { SubjectType } from "@muster/protocol";
import type { Dialect, FieldType } from "@muster/query";
import type { Progress } from "../../projection.js";
import { type DialectFile, duckdbDialect } from "../ask/dialect.js";
import { FILE_VERSION, SubjectLayout, tableStatements } from "../layout/layout.js";
import { quoteText } from "../layout/quoting.js";
import type { Engine } from "./engine.js";
import { Mutex } from "./mutex.js";
import { FileTransaction } from "./transaction.js";

/** A file of another version: what is in it cannot be read any more, and is rebuilt. */
export class OutdatedFile extends Error {}

interface ProgressRow {
  [column: string]: unknown;
  version: number;
  generation: string | null;
  sequence: bigint;
  documents_until: bigint;
  documents_kind: SubjectType | null;
  documents_after: string;
  documents_count: bigint;
}

/** The attached file of one organization, and what is known of it without asking. */
export class OrganizationFile implements DialectFile {
  readonly path: string;
  readonly databaseName: string;
  readonly layouts: Record<SubjectType, SubjectLayout>;
  readonly dialect: Dialect = duckdbDialect(this);
  /** Evaluations that were written before the changes in front of them. */
  readonly ahead: Set<number>;
  progress: Progress;
  /** How many transactions were written. */
  writes = 0;
  writtenAt = Date.now();
  readonly #engine: Engine;
  readonly #mutex = new Mutex();
  readonly #segments: Map<string, number>;
  /** Segments that the transaction under way has numbered. */
  readonly #numbered = new Map<string, number>();
  #writer: DuckDBConnection | undefined;
  /** The number of writes that the last checkpoint has seen; what was there when the file was opened counts as unseen. */
  #checkpointed = -1;

  private constructor(engine: Engine, path: string, databaseName: string, known: Known) {
    this.#engine = engine;
    this.path = path;
    this.databaseName = databaseName;
    this.layouts = known.layouts;
    this.progress = known.progress;
    this.ahead = known.ahead;
    this.#segments = known.segments;
  }

  /** Attaches a file, which is created when it is not there. */
  static async attach(engine: Engine, path: string, organizationId: string): Promise<OrganizationFile> {
    const databaseName = `org_${organizationId}`;
    await engine.run(`attach ${quoteText(path)} as ${databaseName}`);
    try {
      return new OrganizationFile(engine, path, databaseName, await readKnown(engine, databaseName));
    } catch (error) {
      await engine.run(`detach ${databaseName}`);
      throw error;
    }
  }

  segmentNumber(id: string): number | undefined {
    return this.#segments.get(id);
  }

  /** The number of a segment as the transaction under way knows it. */
  numberWithin(id: string): number | undefined {
    return this.#segments.get(id) ?? this.#numbered.get(id);
  }

  /** The number of a segment that somebody enters. */
  async numberSegment(tx: FileTransaction, id: string): Promise<number> {
    const known = this.numberWithin(id);
    if (known !== undefined) return known;
    const number = this.#segments.size + this.#numbered.size;
    this.#numbered.set(id, number);
    tx.afterwards(() => this.#segments.set(id, number));
    await tx.run((params) => {
      const values = `${params.add("integer", number)}, ${params.add("id", id)}`;
      return `insert into ${this.databaseName}.segments (number, id) values (${values})`;
    });
    return number;
  }

  /** Writes in one transaction; one at a time. */
  write<Result>(work: (tx: FileTransaction) => Promise<Result>): Promise<Result> {
    return this.#mutex.run(() => this.#transaction(work));
  }

  /** Gives columns to fields that have none. A transaction of its own, which changes no answer. */
  async addFields(kind: SubjectType, fields: ReadonlyMap<string, FieldType>): Promise<void> {
    const layout = this.layouts[kind];
    if (fields.size === 0) return;
    await this.#mutex.run(async () => {
      const columns = layout.next(fields);
      if (columns.length === 0) return;
      const first = [...layout.fields].length;
      await this.#transaction(async (tx) => {
        for (const { name, type } of columns) {
          await tx.run(() => `alter table ${this.databaseName}.${kind}s add column ${name} ${type}`);
        }
        await tx.append("fields", FIELD_COLUMNS, [
          columns.map(() => kind),
          columns.map(({ key }) => key),
          columns.map(({ field }) => field),
          columns.map((_, index) => first + index),
        ]);
        tx.afterwards(() => layout.add(columns));
      });
    });
  }

  /** Stores how far the file has come, with the transaction it is part of. */
  async saveProgress(tx: FileTransaction, progress: Progress): Promise<void> {
    const { generation, sequence, documents, documentsUntil, documentCount } = progress;
    await tx.run((params) => {
      const text = (value: string | undefined) => (value === undefined ? "null" : params.add("text", value));
      const values: Record<string, string> = {
        version: String(FILE_VERSION),
        generation: text(generation),
        sequence: params.add("integer", sequence),
        documents_until: params.add("integer", documentsUntil),
        documents_kind: text(documents?.kind),
        documents_after: text(documents?.afterId),
        documents_count: params.add("integer", documentCount),
      };
      // There is one row, which is changed in its place: a deleted one would stay in the file for every write.
      return `update ${this.databaseName}.progress set ${Object.entries(values)
        .map(([column, value]) => `${column} = ${value}`)
        .join(", ")}`;
    });
    tx.afterwards(() => {
      this.progress = progress;
    });
  }

  /** Writes what the write-ahead log holds into the file. The engine refuses it beside a transaction that writes. */
  checkpoint({ withVacuum }: { withVacuum: boolean }): Promise<void> {
    return this.#mutex.run(async () => {
      await this.#engine.checkpoint(this.databaseName, withVacuum);
      this.#checkpointed = this.writes;
    });
  }

  /** Whether something was written since the last checkpoint. */
  get isDirty(): boolean {
    return this.#checkpointed !== this.writes;
  }

  /** How many rows are read, and how many were deleted but are still in the file, of the table where that is worst. */
  async garbage(): Promise<{ live: number; dead: number }> {
    const tables = await Promise.all(
      TABLES.map(async (table) => {
        const [row] = await this.#engine.rows<{ live: bigint; all: bigint }>({
          sql: `select count(*) as live, coalesce(max(rowid) + 1, 0) as "all" from ${this.databaseName}.${table}`,
          params: {},
        });
        const live = Number(row?.live ?? 0);
        return { live, dead: Number(row?.all ?? 0) - live };
      }),
    );
    return tables.reduce((worst, table) => (table.dead > worst.dead ? table : worst));
  }

  async logBytes(): Promise<number> {
    return (await stat(`${this.path}.wal`).catch(() => undefined))?.size ?? 0;
  }

  /** Lets go of the file, once whatever is being written is. */
  async detach(): Promise<void> {
    await this.#mutex.run(async () => {
      this.#writer?.closeSync();
      this.#writer = undefined;
      await this.#engine.run(`detach ${this.databaseName}`);
    });
  }

  async #transaction<Result>(work: (tx: FileTransaction) => Promise<Result>): Promise<Result> {
    this.#writer ??= await this.#engine.connect();
    const connection = this.#writer;
    this.#numbered.clear();
    await connection.run("begin");
    try {
      const tx = new FileTransaction(connection, this.databaseName);
      const result = await work(tx);
      await tx.commit();
      this.writes += 1;
      this.writtenAt = Date.now();
      return result;
    } catch (error) {
      // A commit that failed has ended the transaction already.
      await connection.run("rollback").catch(() => undefined);
      throw error;
    }
  }
}

/** Tables whose rows come and go. */
const TABLES = ["users", "accounts", "events", "memberships"] as const;

const FIELD_COLUMNS = [
  { name: "kind", type: "varchar" },
  { name: "key", type: "varchar" },
  { name: "type", type: "varchar" },
  { name: "place", type: "integer" },
] as const;

interface Known {
  layouts: Record<SubjectType, SubjectLayout>;
  progress: Progress;
  ahead: Set<number>;
  segments: Map<string, number>;
}

async function readKnown(engine: Engine, databaseName: string): Promise<Known> {
  const ask = <Found extends Record<string, unknown>>(sql: string) => engine.rows<Found>({ sql, params: {} });
  const [tables] = await ask<{ count: bigint }>(
    `select count(*) as count from duckdb_tables() where database_name = '${databaseName}'`,
  );
  if (tables?.count === 0n) {
    const first = `insert into ${databaseName}.progress values (${FILE_VERSION}, null, 0, 0, null, null, 0)`;
    await engine.run(["begin", ...tableStatements(databaseName), first, "commit"].join("; "));
  }
  const [row] = await ask<ProgressRow & Record<string, unknown>>(`select * from ${databaseName}.progress`);
  if (row?.version !== FILE_VERSION) {
    throw new OutdatedFile(`The file has version ${row?.version}; this Muster reads version ${FILE_VERSION}.`);
  }
  const fields = await ask<{ kind: SubjectType; key: string; type: FieldType }>(
    `select kind, key, type from ${databaseName}.fields order by place`,
  );
  const added = (kind: SubjectType) =>
    fields.filter((field) => field.kind === kind).map(({ key, type }) => [key, type] as const);
  const ahead = await ask<{ sequence: bigint }>(`select sequence from ${databaseName}.ahead`);
  const segments = await ask<{ number: number; id: string }>(`select number, id from ${databaseName}.segments`);
  return {
    layouts: {
      user: new SubjectLayout("user", added("user")),
      account: new SubjectLayout("account", added("account")),
    },
    progress: readProgress(row),
    ahead: new Set(ahead.map(({ sequence }) => Number(sequence))),
    segments: new Map(segments.map(({ number, id }) => [id, number])),
  };
}

function readProgress(row: ProgressRow): Progress {
  return {
    generation: row.generation ?? undefined,
    sequence: Number(row.sequence),
    documentsUntil: Number(row.documents_until),
    documents: row.documents_kind ? { kind: row.documents_kind, afterId: row.documents_after } : undefined,
    documentCount: Number(row.documents_count),
  };
}
