import { once } from "node:events";
import { Readable } from "node:stream";
import { MINUTE_MS, Refusal } from "@muster/protocol";
import type { Logger } from "pino";
import { formatPosition } from "../../domain/entries/lanes.js";
import type { BackupHeader } from "../../runtime/backup-file/backup-format.js";
import { BackupWriter } from "../../runtime/backup-file/backup-writer.js";
import { keyCheck, sealKey } from "../../runtime/backup-file/sealed-key.js";
import { VERSION } from "../../runtime/version.js";
import { openSnapshot, type Snapshot } from "../../storage/postgres/backup/snapshot.js";
import type { Database } from "../../storage/postgres/database.js";
import { type JobFile, listJobFiles } from "./job-files.js";

export interface BackupsOptions {
  database: Database;
  logger: Logger;
  secretKey: string;
  settings: Record<string, string>;
  /** Where the files of jobs are. */
  filesFolder: string;
  /** Finished files are in a bucket, which a backup does not have. */
  hasBucket: boolean;
}

// An open snapshot prevents PostgreSQL's vacuum, so a stalled reader must not keep the snapshot open for ever.
const LONGEST_PAUSE_MS = 10 * MINUTE_MS;

/** Makes backups of the whole server while it works, one at a time. */
export class Backups {
  readonly #options: BackupsOptions;
  #running: Promise<Readable> | undefined;

  constructor(options: BackupsOptions) {
    this.#options = options;
  }

  /**
   * The bytes of a backup of this moment. They are produced as fast as they are read. Without a passphrase, the
   * backup does not contain the key that opens sealed secrets.
   */
  async open(passphrase: string | undefined): Promise<Readable> {
    if (this.#running) throw new Refusal("conflict", "Another backup is being made. Wait until it is done.");
    this.#running = this.#open(passphrase);
    try {
      const content = await this.#running;
      content.once("close", () => {
        this.#running = undefined;
      });
      return content;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  /** Aborts the running backup. */
  async stop(): Promise<void> {
    const content = await this.#running?.catch(() => undefined);
    if (!content || content.closed) return;
    content.destroy(new Error("The server stops."));
    await once(content, "close");
  }

  async #open(passphrase: string | undefined): Promise<Readable> {
    const { database, secretKey, filesFolder } = this.#options;
    const sealed = passphrase === undefined ? undefined : await sealKey(secretKey, passphrase);
    const snapshot = await openSnapshot(database);
    try {
      const files = await listJobFiles(filesFolder);
      const keys = sealed && Buffer.from(JSON.stringify(sealed));
      return this.#watched(this.#write(snapshot, files, keys), snapshot);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  /** The chunks as a stream that ends with an error when its reader stalls. */
  #watched(pieces: AsyncGenerator<Buffer>, snapshot: Snapshot): Readable {
    let readAt = performance.now();
    const marked = async function* () {
      for await (const piece of pieces) {
        yield piece;
        readAt = performance.now();
      }
    };
    const content = Readable.from(marked(), { objectMode: false });
    const watch = setInterval(() => {
      if (performance.now() - readAt > LONGEST_PAUSE_MS) content.destroy(new Error("Nobody reads the backup."));
    }, MINUTE_MS);
    watch.unref();
    content.once("close", () => {
      clearInterval(watch);
      // Also ends a running COPY. Otherwise the generator would wait for its next bytes.
      snapshot.close().catch((error: unknown) => this.#options.logger.warn({ err: error }, "a snapshot did not close"));
    });
    return content;
  }

  async *#write(snapshot: Snapshot, files: JobFile[], keys: Buffer | undefined): AsyncGenerator<Buffer> {
    const writer = new BackupWriter();
    yield writer.begin(this.#header(snapshot, files));
    if (keys) yield* writer.part({ kind: "keys" }, oneChunk(keys));
    // Before the tables, which take longer: a file is removed when it expires or when its import is done.
    for (const file of files) {
      const content = await opened(file);
      if (content) yield* writer.part({ kind: "file", path: file.path }, content);
      else this.#options.logger.warn({ file: file.path }, "a file was removed before the backup had it");
    }
    for (const { name, columns, open } of snapshot.tables) {
      const rows = open();
      yield* writer.part({ kind: "table", name, columns }, rows, () => rows.rowCount);
    }
    yield writer.end();
  }

  #header({ facts }: Snapshot, files: readonly JobFile[]): BackupHeader {
    const { secretKey, settings, hasBucket } = this.#options;
    return {
      version: VERSION,
      created_at: facts.takenAt.toISOString(),
      migrations: facts.migrations,
      settings,
      organizations: facts.organizations.map(({ namespace, positions }) => ({
        namespace,
        position: formatPosition(positions),
      })),
      partitions: facts.partitions,
      sequences: facts.sequences,
      key_check: keyCheck(secretKey),
      files: hasBucket ? "in the bucket" : "included",
      estimated_bytes: facts.bytes + files.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }
}

async function* oneChunk(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}

/** The content of a file, or undefined when it was removed. */
async function opened(file: JobFile): Promise<AsyncIterable<Buffer> | undefined> {
  if (file.bytes === 0) return Readable.from([]);
  const content = file.open();
  try {
    await once(content, "open");
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
