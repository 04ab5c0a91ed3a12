import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "./engine.js";
import { OrganizationFile } from "./organization-file.js";

export interface FilesOptions {
  folder: string;
  /** A file was opened: somebody must see whether it is up to date. */
  onOpened(organizationId: string): void;
  /** Something is wrong that was mended, or will be tried again. */
  onProblem(error: unknown, message: string, organizationId: string): void;
}

interface OpenFile {
  readonly file: Promise<OrganizationFile>;
  users: number;
  usedAt: number;
  /** Told when the last user is gone. */
  onIdle: (() => void) | undefined;
}

const ENDING = ".duckdb";
const LOOK_EVERY_MS = 3_000;
/** Files that nobody asked about for so long are let go; opening one again takes some milliseconds. */
const IDLE_MS = 10 * 60_000;
// A checkpoint compresses what was written since, and the writer waits for it: 2 s for 128 MB, under 1 s for this much.
const LOG_BYTES = 48 * 1024 * 1024;
/** After this long without a checkpoint one is made however little was written. */
const CHECKPOINT_AFTER_MS = 60_000;

// Deleted rows are taken out when they are most of a table, which halves what must be read; and, because the writer has to
// wait for it, otherwise only when nothing was written for a while.
const MANY_DEAD = 200_000;
const QUIET_MS = 20_000;
const QUIET_DEAD = 20_000;
const QUIET_SHARE = 0.1;

/** The files of organizations, attached when they are first asked about. */
export class OrganizationFiles {
  readonly #engine: Engine;
  readonly #options: FilesOptions;
  readonly #open = new Map<string, OpenFile>();
  /** Files that are being let go: who wants one of them waits, because a file cannot be attached twice. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #checkpoints = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();

  constructor(engine: Engine, options: FilesOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Lends out the file of an organization. */
  async use<Result>(organizationId: string, work: (file: OrganizationFile) => Promise<Result>): Promise<Result> {
    const { file, giveBack } = await this.take(organizationId);
    try {
      return await work(file);
    } catch (error) {
      if (isUnreadable(error)) this.#replaceSoon(organizationId, error);
      throw error;
    } finally {
      giveBack();
    }
  }

  /** Lends out the file of an organization until it is given back. */
  async take(organizationId: string): Promise<{ file: OrganizationFile; giveBack(): void }> {
    for (let closing = this.#closing.get(organizationId); closing; closing = this.#closing.get(organizationId)) {
      await closing;
    }
    const open = this.#openFile(organizationId);
    open.users += 1;
    const giveBack = () => {
      open.users -= 1;
      open.usedAt = Date.now();
      if (open.users === 0) open.onIdle?.();
    };
    try {
      return { file: await open.file, giveBack };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** The organizations that have a file. */
  async list(): Promise<string[]> {
    const names = await readdir(this.#options.folder).catch(() => []);
    return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  }

  /** Deletes the file of an organization. */
  async remove(organizationId: string): Promise<void> {
    const path = this.#pathOf(organizationId);
    await this.#close(organizationId, async () => {
      await rm(path, { force: true });
      await rm(`${path}.wal`, { force: true });
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    for (const organizationId of [...this.#open.keys()]) await this.#close(organizationId);
  }

  #openFile(organizationId: string): OpenFile {
    const known = this.#open.get(organizationId);
    if (known) return known;
    const file = this.#attach(organizationId);
    const open: OpenFile = { file, users: 0, usedAt: Date.now(), onIdle: undefined };
    this.#open.set(organizationId, open);
    this.#checkpoints.set(organizationId, Date.now());
    file.then(
      () => this.#options.onOpened(organizationId),
      () => this.#open.delete(organizationId),
    );
    return open;
  }

  /** A file that cannot be opened is set aside, and an empty one takes its place: the pipeline fills it again. */
  async #attach(organizationId: string): Promise<OrganizationFile> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    const path = this.#pathOf(organizationId);
    try {
      return await OrganizationFile.attach(this.#engine, path, organizationId);
    } catch (error) {
      await this.#setAside(organizationId, error);
      return OrganizationFile.attach(this.#engine, path, organizationId);
    }
  }

  /** Takes a file out of use that turned out to be unreadable, once nobody uses it, and begins an empty one. */
  #replaceSoon(organizationId: string, error: unknown): void {
    this.#close(organizationId, () => this.#setAside(organizationId, error))
      .then(() => this.use(organizationId, async () => {}))
      .catch((cause: unknown) => {
        this.#options.onProblem(cause, "a file of the question engine cannot be replaced", organizationId);
      });
  }

  async #setAside(organizationId: string, error: unknown): Promise<void> {
    const path = this.#pathOf(organizationId);
    const aside = `${path}.${new Date().toISOString().replaceAll(":", "-")}.unreadable`;
    await rename(path, aside).catch(ignoreMissing);
    await rename(`${path}.wal`, `${aside}.wal`).catch(ignoreMissing);
    this.#options.onProblem(
      error,
      `a file of the question engine cannot be read; it was set aside as ${aside}`,
      organizationId,
    );
  }

  /** Lets a file go once nobody uses it, and does what must be done before it can be opened again. */
  async #close(organizationId: string, afterwards: () => Promise<void> = async () => {}): Promise<void> {
    const before = this.#closing.get(organizationId);
    // Only if it must wait: whoever comes next must find the file closing at once.
    if (before) await before;
    const open = this.#open.get(organizationId);
    this.#open.delete(organizationId);
    const closing = (async () => {
      if (open && open.users > 0) {
        await new Promise<void>((resolve) => {
          open.onIdle = resolve;
        });
      }
      const file = await open?.file.catch(() => undefined);
      // What cannot be let go in order is let go with the next attempt to open it, which says why.
      await file?.detach().catch(() => undefined);
      await afterwards();
    })().finally(() => this.#closing.delete(organizationId));
    this.#closing.set(organizationId, closing);
    await closing;
  }

  /** Makes checkpoints and lets idle files go. */
  async #look(): Promise<void> {
    const now = Date.now();
    for (const [organizationId, open] of this.#open) {
      try {
        const file = await open.file;
        await this.#checkpoint(organizationId, file, now);
        if (open.users === 0 && now - open.usedAt > IDLE_MS) await this.#close(organizationId);
      } catch (error) {
        this.#options.onProblem(error, "a checkpoint of the question engine failed and is tried again", organizationId);
      }
    }
  }

  async #checkpoint(organizationId: string, file: OrganizationFile, now: number): Promise<void> {
    const isQuiet = now - file.writtenAt > QUIET_MS;
    const since = now - (this.#checkpoints.get(organizationId) ?? 0);
    const isDue = file.isDirty && (since > CHECKPOINT_AFTER_MS || isQuiet || (await file.logBytes()) > LOG_BYTES);
    if (!isDue) return;
    const { live, dead } = await file.garbage();
    const withVacuum = (dead > live && dead > MANY_DEAD) || (isQuiet && dead > QUIET_DEAD && dead > live * QUIET_SHARE);
    this.#checkpoints.set(organizationId, Date.now());
    await file.checkpoint({ withVacuum });
  }

  #pathOf(organizationId: string): string {
    return join(this.#options.folder, `${organizationId}${ENDING}`);
  }
}

/** The engine found that a file does not hold what it should. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && /corrupt|checksum|invalidated|FATAL Error|Serialization Error/i.test(error.message);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
