import { access, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS, HOUR_MS } from "@muster/protocol";
import { Loop } from "../../../../runtime/loop.js";
import { compactFile, removeFile } from "./compact-file.js";
import type { Engine } from "./engine.js";
import { OrganizationFile } from "./organization-file.js";

export interface FilesOptions {
  folder: string;
  /** Called after a file was opened. The caller must check whether it is up to date. */
  onOpened(organizationId: string): void;
  /** Called about a problem that was repaired or will be tried again. */
  onProblem(error: unknown, message: string, organizationId: string): void;
}

interface OpenFile {
  readonly file: Promise<OrganizationFile>;
  users: number;
  usedAt: number;
  /** Called when the last user has given the file back. */
  onIdle: (() => void) | undefined;
}

const ENDING = ".duckdb";
const ASIDE = ".unreadable";
/** Files that were set aside are kept this long, for people who want to find out what happened. */
const ASIDE_MS = 7 * DAY_MS;
const LOOK_ASIDE_EVERY_MS = HOUR_MS;
const MAINTAIN_EVERY_MS = 3_000;
/** Files that were not used for this long are closed. Opening one again takes a few milliseconds. */
const IDLE_MS = 10 * 60_000;
// A checkpoint compresses everything written since the last one, and the writer waits for it: 2 s for 128 MB, less than
// 1 s for this size.
const LOG_BYTES = 48 * 1024 * 1024;
/** After this time without a checkpoint one is made even if little was written. */
const CHECKPOINT_AFTER_MS = 60_000;

// A vacuum removes deleted rows. It runs when they are more than half of a table, because reads then have half the work
// afterwards. Otherwise it runs only when nothing was written for a while, because the writer must wait for it.
const MANY_DEAD = 200_000;
const QUIET_MS = 20_000;
const QUIET_DEAD = 20_000;
const QUIET_SHARE = 0.1;

/** The files of organizations, which are attached when they are first used. */
export class OrganizationFiles {
  readonly #engine: Engine;
  readonly #options: FilesOptions;
  readonly #open = new Map<string, OpenFile>();
  /** Files that are being closed. Opening one of them waits for this, because a file cannot be attached twice. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #checkpoints = new Map<string, number>();
  readonly #maintenance: Loop;
  #lookedAsideAt = 0;

  constructor(engine: Engine, options: FilesOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#maintenance = new Loop({
      step: async () => {
        await this.#maintain();
        return MAINTAIN_EVERY_MS;
      },
      onError: (error) => options.onProblem(error, "the maintenance of the question engine failed", ""),
    });
    this.#maintenance.start();
  }

  /** Runs `work` with the file of an organization, which stays open meanwhile. */
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

  /** Returns the file of an organization, which stays open until `giveBack` is called. */
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
    await this.#close(organizationId, () => removeFile(path));
  }

  /**
   * Removes rows that were deleted from the file of an organization for good, and the files of the organization that
   * were set aside. Questions wait meanwhile: some seconds for a file of a gigabyte.
   */
  async compact(organizationId: string): Promise<void> {
    const path = this.#pathOf(organizationId);
    await this.#removeAside((name) => name.startsWith(`${organizationId}${ENDING}.`));
    const hasFile = await access(path).then(
      () => true,
      () => false,
    );
    if (hasFile) await this.#close(organizationId, () => compactFile(this.#engine, path, organizationId));
  }

  async close(): Promise<void> {
    await this.#maintenance.stop();
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

  /** A file that cannot be opened is renamed and replaced by an empty one, which the pipeline fills again. */
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

  /** Replaces an unreadable file by an empty one as soon as the file is not in use. */
  #replaceSoon(organizationId: string, error: unknown): void {
    this.#close(organizationId, () => this.#setAside(organizationId, error))
      .then(() => this.use(organizationId, async () => {}))
      .catch((cause: unknown) => {
        this.#options.onProblem(cause, "a file of the question engine cannot be replaced", organizationId);
      });
  }

  async #setAside(organizationId: string, error: unknown): Promise<void> {
    const path = this.#pathOf(organizationId);
    const aside = `${path}.${new Date().toISOString().replaceAll(":", "-")}${ASIDE}`;
    await rename(path, aside).catch(ignoreMissing);
    await rename(`${path}.wal`, `${aside}.wal`).catch(ignoreMissing);
    this.#options.onProblem(
      error,
      `a file of the question engine cannot be read; it was set aside as ${aside}`,
      organizationId,
    );
  }

  /** Closes a file as soon as it is not in use. `afterwards` runs before it can be opened again. */
  async #close(organizationId: string, afterwards: () => Promise<void> = async () => {}): Promise<void> {
    const before = this.#closing.get(organizationId);
    // Without a wait if possible: the next caller must find the file in `#closing` immediately.
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
      // If the file cannot be detached, the next attempt to attach it fails and reports the reason.
      await file?.detach().catch(() => undefined);
      await afterwards();
    })().finally(() => this.#closing.delete(organizationId));
    this.#closing.set(organizationId, closing);
    await closing;
  }

  /** Makes checkpoints, closes idle files, and removes files that were set aside long ago. */
  async #maintain(): Promise<void> {
    const now = Date.now();
    if (now - this.#lookedAsideAt > LOOK_ASIDE_EVERY_MS) {
      this.#lookedAsideAt = now;
      await this.#removeAside(async (_name, path) => now - (await stat(path)).mtimeMs > ASIDE_MS);
    }
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
    const { live, dead } = await file.countDeadRows();
    const withVacuum = (dead > live && dead > MANY_DEAD) || (isQuiet && dead > QUIET_DEAD && dead > live * QUIET_SHARE);
    this.#checkpoints.set(organizationId, Date.now());
    await file.checkpoint({ withVacuum });
  }

  async #removeAside(isRemoved: (name: string, path: string) => boolean | Promise<boolean>): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((name) => name.includes(ASIDE))) {
      const path = join(folder, name);
      if (await isRemoved(name, path)) await rm(path, { force: true });
    }
  }

  #pathOf(organizationId: string): string {
    return join(this.#options.folder, `${organizationId}${ENDING}`);
  }
}

/** Whether an error of the engine says that a file is damaged. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && /corrupt|checksum|invalidated|FATAL Error|Serialization Error/i.test(error.message);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
