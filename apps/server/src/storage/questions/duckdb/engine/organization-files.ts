import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { freeBytes } from "../../../../runtime/disk/disk-space.js";
import { Loop } from "../../../../runtime/loops/loop.js";
import { COLUMN_RULES, type ColumnRules } from "../layout/event-layout.js";
import { compactFile, removeFile } from "./compact-file.js";
import type { Engine } from "./engine.js";
import { asUnavailable, isDamaged, isInvalidated, isOutOfMemory, isUnreadable } from "./engine-errors.js";
import { OrganizationFile } from "./organization-file.js";
import { removeOldSetAside, removeSetAside, setAsidePath } from "./set-aside-files.js";

export interface FilesOptions {
  folder: string;
  /** When properties of events get columns; other rules in tests. */
  columnRules?: ColumnRules;
  /** Called after a file was opened. The caller must check whether it is up to date. */
  onOpened(organizationId: string): void;
  /** Called about a problem that was repaired or will be tried again. */
  onProblem(error: unknown, message: string, organizationId: string): void;
}

interface OpenFile {
  readonly file: Promise<OrganizationFile>;
  /** The same, once it is open. */
  opened: OrganizationFile | undefined;
  users: number;
  usedAt: number;
  /** Called when the last user has released the file. */
  onIdle: (() => void) | undefined;
}

const ENDING = ".duckdb";
const MAINTAIN_EVERY_MS = 3_000;
const TIDY_EVERY_MS = 60 * 60_000;
/** Files that were not used for this long are closed. Opening one again takes a few milliseconds. */
const IDLE_MS = 10 * 60_000;
// A checkpoint compresses everything written since the last one, and the writer waits for it: 2 s for 128 MB, less than
// 1 s for this size.
const LOG_BYTES = 48 * 1024 * 1024;
/** A checkpoint writes about as much as the log holds, and a little more. */
const CHECKPOINT_ROOM_BYTES = 16 * 1024 * 1024;
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
  readonly #tidying: Loop;
  #onColumnWanted: () => void = () => {};

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
    this.#tidying = new Loop({
      step: async () => {
        await removeOldSetAside(options.folder, Date.now());
        return TIDY_EVERY_MS;
      },
      onError: (error) => options.onProblem(error, "files that were set aside could not be removed", ""),
    });
    this.#tidying.start();
  }

  /** Runs `work` with the file of an organization, which stays open meanwhile. */
  async use<Result>(organizationId: string, work: (file: OrganizationFile) => Promise<Result>): Promise<Result> {
    const { file, giveBack } = await this.take(organizationId);
    try {
      return await work(file);
    } catch (error) {
      this.#repairSoon(organizationId, error);
      throw asUnavailable(error);
    } finally {
      giveBack();
    }
  }

  /** The files that are open now. */
  *opened(): Iterable<[organizationId: string, file: OrganizationFile]> {
    for (const [organizationId, { opened }] of this.#open) if (opened) yield [organizationId, opened];
  }

  isOpen(organizationId: string): boolean {
    return this.#open.get(organizationId)?.opened !== undefined;
  }

  /** `callback` runs when a property of events should get columns, and when a file is opened. */
  onColumnWanted(callback: () => void): void {
    this.#onColumnWanted = callback;
  }

  /** Returns the file of an organization, which stays open until `giveBack` is called. */
  async take(organizationId: string): Promise<{ file: OrganizationFile; giveBack(): void }> {
    for (let closing = this.#closing.get(organizationId); closing; closing = this.#closing.get(organizationId)) {
      // The caller that closes the file handles an error of the closing.
      await closing.catch(() => undefined);
    }
    const open = this.#openFile(organizationId);
    open.users += 1;
    const giveBack = () => {
      open.users -= 1;
      open.usedAt = performance.now();
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
    // A missing folder means that there is no file yet. Any other error must not look like that, because then every
    // organization would be rebuilt.
    const names = (await readdir(this.#options.folder).catch(ignoreMissing)) ?? [];
    return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  }

  /** Deletes the file of an organization. */
  async remove(organizationId: string): Promise<void> {
    const path = this.#pathOf(organizationId);
    await this.#close(organizationId, () => removeFile(path));
  }

  /** Deletes the file of an organization, and its damaged files that were set aside. */
  async removeAll(organizationId: string): Promise<void> {
    await this.remove(organizationId);
    await this.#removeSetAside(organizationId);
  }

  /**
   * Removes rows that were deleted from the file of an organization for good, and the files of the organization that
   * were set aside. Questions wait during this time: some seconds for a file of a gigabyte. Refuses when the disk has no room
   * for a copy of the file.
   */
  async compact(organizationId: string): Promise<void> {
    const path = this.#pathOf(organizationId);
    await this.#removeSetAside(organizationId);
    if (await isMissing(path)) return;
    await this.#engine.requireRoom((await sizeOf(path)) + (await sizeOf(`${path}.wal`)));
    await this.#close(organizationId, () => compactFile(this.#engine, path, organizationId));
  }

  async close(): Promise<void> {
    await Promise.all([this.#maintenance.stop(), this.#tidying.stop()]);
    for (const organizationId of [...this.#open.keys()]) await this.#close(organizationId);
  }

  #removeSetAside(organizationId: string): Promise<void> {
    return removeSetAside(this.#options.folder, (name) => name.startsWith(`${organizationId}${ENDING}.`));
  }

  #openFile(organizationId: string): OpenFile {
    const known = this.#open.get(organizationId);
    if (known) return known;
    const file = this.#attach(organizationId);
    const open: OpenFile = { file, opened: undefined, users: 0, usedAt: performance.now(), onIdle: undefined };
    this.#open.set(organizationId, open);
    this.#checkpoints.set(organizationId, performance.now());
    file.then(
      (opened) => {
        open.opened = opened;
        opened.events.onWanted = () => this.#onColumnWanted();
        this.#onColumnWanted();
        this.#options.onOpened(organizationId);
      },
      () => this.#open.delete(organizationId),
    );
    return open;
  }

  /** A file that is damaged is renamed and replaced by an empty one, which the pipeline fills again. */
  async #attach(organizationId: string): Promise<OrganizationFile> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    const path = this.#pathOf(organizationId);
    const rules = this.#options.columnRules ?? COLUMN_RULES;
    const isNew = await isMissing(path);
    try {
      // A process that ends in order leaves no log.
      if ((await sizeOf(`${path}.wal`)) > 0) await this.#engine.rehearse(path);
      return await OrganizationFile.attach(this.#engine, path, organizationId, rules);
    } catch (error) {
      // A file whose creation failed has no data.
      if (isNew) await removeFile(path);
      // An error that is not about the file is about the machine. The next user tries to open the file again.
      if (!isUnreadable(error)) throw asUnavailable(error);
      await this.#setAside(organizationId, error);
      return OrganizationFile.attach(this.#engine, path, organizationId, rules);
    }
  }

  /** Opens a file again that the engine does not use any more, and replaces a damaged one, when it is not in use. */
  #repairSoon(organizationId: string, error: unknown): void {
    const mustReplace = isDamaged(error);
    if (!mustReplace && !isInvalidated(error) && !isOutOfMemory(error)) return;
    this.#close(organizationId, mustReplace ? () => this.#setAside(organizationId, error) : undefined)
      .then(() => this.use(organizationId, async () => {}))
      .catch((cause: unknown) => {
        this.#options.onProblem(cause, "a file of the question engine cannot be opened again", organizationId);
      });
  }

  async #setAside(organizationId: string, error: unknown): Promise<void> {
    const path = this.#pathOf(organizationId);
    const aside = setAsidePath(path, new Date());
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
    // Must not await if the file is not in use, because the next caller must find the file in `#closing` immediately.
    // Checks again after each await, because another caller may have waited for the same file and close it now.
    for (let before = this.#closing.get(organizationId); before; before = this.#closing.get(organizationId)) {
      await before.catch(() => undefined);
    }
    const open = this.#open.get(organizationId);
    this.#open.delete(organizationId);
    this.#checkpoints.delete(organizationId);
    const closing = (async () => {
      if (open && open.users > 0) {
        await new Promise<void>((resolve) => {
          open.onIdle = resolve;
        });
      }
      // The caller that opened the file has already got the error of a failed opening.
      const file = await open?.file.catch(() => undefined);
      await file?.detach().catch((cause: unknown) => {
        this.#options.onProblem(cause, "a file of the question engine cannot be closed", organizationId);
      });
      await afterwards();
    })().finally(() => this.#closing.delete(organizationId));
    this.#closing.set(organizationId, closing);
    await closing;
  }

  /** Makes checkpoints and closes idle files. */
  async #maintain(): Promise<void> {
    const now = performance.now();
    if (this.#open.size > 0) await this.#engine.limitSpill();
    for (const [organizationId, open] of this.#open) {
      try {
        const file = await open.file;
        await this.#checkpoint(organizationId, file, now);
        if (open.users === 0 && now - open.usedAt > IDLE_MS) await this.#close(organizationId);
      } catch (error) {
        this.#options.onProblem(error, "a checkpoint of the question engine failed and is tried again", organizationId);
        this.#repairSoon(organizationId, error);
      }
    }
  }

  async #checkpoint(organizationId: string, file: OrganizationFile, now: number): Promise<void> {
    const isQuiet = now - file.writtenAt > QUIET_MS;
    const since = now - (this.#checkpoints.get(organizationId) ?? 0);
    const isDue = file.isDirty && (since > CHECKPOINT_AFTER_MS || isQuiet || (await file.logBytes()) > LOG_BYTES);
    if (!isDue || !(await this.#hasRoomForCheckpoint(file))) return;
    const { live, dead } = await file.countDeadRows();
    const withVacuum = (dead > live && dead > MANY_DEAD) || (isQuiet && dead > QUIET_DEAD && dead > live * QUIET_SHARE);
    if (await file.checkpoint({ withVacuum })) this.#checkpoints.set(organizationId, performance.now());
  }

  /** A checkpoint that fails closes the file for a moment, so on a full disk it is not tried. */
  async #hasRoomForCheckpoint(file: OrganizationFile): Promise<boolean> {
    return (await freeBytes(this.#options.folder)) > CHECKPOINT_ROOM_BYTES + 2 * (await file.logBytes());
  }

  #pathOf(organizationId: string): string {
    return join(this.#options.folder, `${organizationId}${ENDING}`);
  }
}

async function isMissing(path: string): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing);
  return found === undefined;
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(ignoreMissing);
  return found?.size ?? 0;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
