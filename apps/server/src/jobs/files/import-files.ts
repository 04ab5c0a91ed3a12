import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DAY_MS, Refusal } from "@muster/protocol";
import type { LeastSpeed } from "../../outbound/exchange.js";
import type { GuardedFetch } from "../../outbound/guarded-fetch.js";
import { OutboundError } from "../../outbound/outbound-error.js";
import { asDiskFull, type DiskSpace } from "../../runtime/disk/disk-space.js";
import { uploadOf } from "../parameters/import-parameters.js";
import { JobFailure } from "../runner/job-failure.js";

export interface ImportFilesOptions {
  /** Names the files that this process writes. Several processes may share the folder. */
  runner: string;
  folder: string;
  fetch: GuardedFetch;
  disk: Pick<DiskSpace, "require">;
  maxBytes: number;
  /** A download that is slower fails. Default: 10,000 bytes a minute. */
  leastSpeed?: LeastSpeed;
  /** A host that is silent for so long is asked again later. Default: a minute. */
  idleMs?: number;
}

/** A complete file on the disk of this machine. */
export interface ImportFile {
  path: string;
  bytes: number;
  /** Hash of the content. */
  digest: string;
  /** When its last part was written, in milliseconds. */
  changedAt: number;
}

const DOWNLOAD_LIMIT_MS = DAY_MS;
const IDLE_LIMIT_MS = 60_000;
// Slower than any network that works. A job keeps its slot while it waits for its file.
const LEAST_SPEED: LeastSpeed = { bytes: 10_000, withinMs: 60_000 };
const SAMPLE_LIMIT_MS = 15_000;
const UPLOAD_ID = /^[0-9a-f]{32}$/;
const TEMPORARY_PROBLEMS = new Set<OutboundError["problem"]>(["network", "timeout"]);

/**
 * The files of imports. A file is stored on the disk of this machine before its first record is read. So an import goes
 * on after a crash without another download, the sender does not wait for a slow import, and no file is held in memory.
 */
export class ImportFiles {
  readonly #options: ImportFilesOptions;

  constructor(options: ImportFilesOptions) {
    this.#options = options;
  }

  /**
   * The file of a job: the one that an earlier run has stored, its upload, or a new download. With `keepsUpload` another
   * job can use the same upload afterwards.
   */
  async fetch(
    organizationId: string,
    jobId: string,
    url: string,
    { keepsUpload, signal }: { keepsUpload: boolean; signal: AbortSignal },
  ): Promise<ImportFile> {
    const path = await this.#path("jobs", jobId);
    const known = await statOf(path);
    if (known) return { path, ...known, digest: await digestOf(path) };
    const upload = uploadOf(url);
    if (upload === undefined) return this.#download(url, path, signal);
    const source = await this.#uploadPath(organizationId, upload);
    const stored = await statOf(source);
    if (!stored) throw new JobFailure(`There is no upload "${upload}" on the machine that runs the import.`);
    if (keepsUpload) await share(source, path);
    else await rename(source, path);
    return { path, ...stored, digest: await digestOf(path) };
  }

  /** A file that a job may write while it runs. It is removed with the file of the job. */
  async scratchPath(jobId: string): Promise<string> {
    return this.#partOf(await this.#path("jobs", jobId));
  }

  /** The beginning of a file that is to be imported, `maxBytes` at most, and whether that is all of it. */
  async sample(
    organizationId: string,
    url: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; isWhole: boolean }> {
    const upload = uploadOf(url);
    const content =
      upload === undefined ? await this.#openDownload(url, signal) : await this.#openUpload(organizationId, upload);
    return readBeginning(content, maxBytes);
  }

  /** Removes the file of a job. */
  async discard(jobId: string): Promise<void> {
    const path = await this.#path("jobs", jobId);
    for (const file of [path, this.#partOf(path)]) await rm(file, { force: true });
  }

  /** Removes what this process alone has written for a job. Another one may read the file of the job. */
  async leave(jobId: string): Promise<void> {
    await rm(await this.scratchPath(jobId), { force: true });
  }

  /** A file that this process writes. Another process that shares the folder must not write to the same one. */
  #partOf(path: string): string {
    return `${path}.${this.#options.runner}.part`;
  }

  /** Begins an upload, whose parts follow one after the other. */
  async createUpload(organizationId: string): Promise<string> {
    await this.#options.disk.require();
    const id = randomBytes(16).toString("hex");
    const file = await open(await this.#uploadPath(organizationId, id), "wx", 0o600);
    await file.close();
    return id;
  }

  /** Refuses the address of an upload that the organization does not have. Web addresses are not looked at. */
  async requireUpload(organizationId: string, url: string): Promise<void> {
    const upload = uploadOf(url);
    if (upload === undefined || (await statOf(await this.#uploadPath(organizationId, upload)))) return;
    throw unknownUpload(upload);
  }

  /** Appends a part. `offset` must be the present size of the upload. Returns the new size. */
  async appendUpload(organizationId: string, id: string, offset: number, part: Buffer): Promise<number> {
    const path = await this.#uploadPath(organizationId, id);
    const size = (await statOf(path))?.bytes;
    if (size === undefined) throw unknownUpload(id);
    if (offset !== size) {
      throw new Refusal("conflict", `The upload holds ${size} bytes, so its next part begins there, not at ${offset}.`);
    }
    if (size + part.length > this.#options.maxBytes) {
      throw new Refusal("payload_too_large", `A file has at most ${this.#options.maxBytes} bytes.`);
    }
    await this.#options.disk.require();
    await appendPart(path, offset, part);
    return size + part.length;
  }

  /** Removes all uploads of an organization. */
  async removeUploads(organizationId: string): Promise<void> {
    await rm(join(this.#options.folder, "uploads", organizationId), { recursive: true, force: true });
  }

  /**
   * Removes files that have not changed for a day, except those that a job still needs. The needed names are read after
   * the files were listed, so that a job that is created in between keeps its file.
   */
  async removeUnused(readNeededNames: () => Promise<ReadonlySet<string>>, now: number): Promise<void> {
    const old = await this.#listOld(now);
    if (old.length === 0) return;
    const needed = await readNeededNames();
    for (const { name, path } of old) {
      if (!needed.has(name.replace(/(\.\w+)?\.part$/, ""))) await rm(path, { force: true });
    }
  }

  /** Like `removeUnused`, for the uploads of one organization that were last written before a time. Returns how many. */
  async removeUploadsBefore(
    organizationId: string,
    before: Date,
    readNeededNames: () => Promise<ReadonlySet<string>>,
  ): Promise<number> {
    const old = await this.#listChanged(await this.#path("uploads", organizationId), before.getTime());
    if (old.length === 0) return 0;
    const needed = await readNeededNames();
    const unused = old.filter(({ name }) => !needed.has(name));
    for (const { path } of unused) await rm(path, { force: true });
    return unused.length;
  }

  async #listOld(now: number): Promise<{ name: string; path: string }[]> {
    return this.#listChanged(this.#options.folder, now - DOWNLOAD_LIMIT_MS);
  }

  /** The files below a folder that were last written before a time. */
  async #listChanged(folder: string, before: number): Promise<{ name: string; path: string }[]> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const old: { name: string; path: string }[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      // Another process that shares the folder may have removed it.
      const found = await statOf(path);
      if (found && found.changedAt < before) old.push({ name: entry.name, path });
    }
    return old;
  }

  async #openUpload(organizationId: string, id: string): Promise<Readable> {
    const path = await this.#uploadPath(organizationId, id);
    if (!(await statOf(path))) throw unknownUpload(id);
    return createReadStream(path);
  }

  async #openDownload(url: string, signal: AbortSignal): Promise<Readable> {
    const { fetch, maxBytes } = this.#options;
    const limits = { timeoutMs: SAMPLE_LIMIT_MS, idleMs: SAMPLE_LIMIT_MS, maxBytes };
    try {
      const answer = await fetch(url, { ...limits, signal, headers: { "accept-encoding": "identity" } });
      if (answer.status === 200) return answer.body;
      answer.body.destroy();
      throw new Refusal("invalid_parameter", `The address of the file answered with status ${answer.status}.`);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new Refusal("invalid_parameter", `The file cannot be fetched: ${error.message}`);
    }
  }

  async #download(url: string, path: string, signal: AbortSignal): Promise<ImportFile> {
    const { fetch, maxBytes, disk, leastSpeed = LEAST_SPEED, idleMs = IDLE_LIMIT_MS } = this.#options;
    const part = this.#partOf(path);
    const hash = createHash("sha256");
    let bytes = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        bytes += chunk.length;
        disk.require().then(() => done(null, chunk), done);
      },
    });
    try {
      await disk.require();
      const limits = { timeoutMs: DOWNLOAD_LIMIT_MS, idleMs, leastSpeed, maxBytes };
      const answer = await fetch(url, { ...limits, signal, headers: { "accept-encoding": "identity" } });
      if (answer.status !== 200) {
        answer.body.destroy();
        throw refusedDownload(answer.status);
      }
      await pipeline(answer.body, meter, createWriteStream(part, { mode: 0o600 }), { signal });
    } catch (error) {
      if (error instanceof OutboundError && !TEMPORARY_PROBLEMS.has(error.problem)) {
        throw new JobFailure(`The file cannot be fetched: ${error.message}`, { cause: error });
      }
      // The download starts again, so the partial file is of no use.
      await rm(part, { force: true });
      throw asDiskFull(error);
    }
    await rename(part, path);
    return { path, bytes, digest: hash.digest("hex"), changedAt: Date.now() };
  }

  async #uploadPath(organizationId: string, id: string): Promise<string> {
    if (!UPLOAD_ID.test(id)) throw unknownUpload(id);
    return this.#path(join("uploads", organizationId), id);
  }

  async #path(kind: string, name: string): Promise<string> {
    const folder = join(this.#options.folder, kind);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return join(folder, name);
  }
}

/** Hard-links a file, or copies it on file systems without hard links. */
async function share(source: string, path: string): Promise<void> {
  await link(source, path).catch(() => copyFile(source, path));
}

async function readBeginning(content: Readable, maxBytes: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    // Leaving the loop ends the stream.
    if (size > maxBytes) return { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isWhole: false };
  }
  return { bytes: Buffer.concat(pieces), isWhole: true };
}

/** Appends all of a part or nothing. A disk that becomes full would store only the beginning of a part. */
async function appendPart(path: string, offset: number, part: Buffer): Promise<void> {
  const file = await open(path, "r+");
  try {
    for (let written = 0; written < part.length; ) {
      written += (await file.write(part, written, part.length - written, offset + written)).bytesWritten;
    }
  } catch (error) {
    await file.truncate(offset);
    throw asDiskFull(error);
  } finally {
    await file.close();
  }
}

/** One answer for an id that nobody has and for an upload of another organization. */
function unknownUpload(id: string): Refusal {
  return new Refusal("not_found", `There is no upload "${id.slice(0, 100)}".`);
}

function refusedDownload(status: number): Error {
  const message = `The address of the file answered with status ${status}.`;
  const isTemporary = status >= 500 || status === 408 || status === 429;
  return isTemporary ? new Error(message) : new JobFailure(message);
}

async function statOf(path: string): Promise<Pick<ImportFile, "bytes" | "changedAt"> | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { bytes: size, changedAt: Math.floor(mtimeMs) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
