import { DAY_MS } from "@muster/protocol";
import type { EventColumn } from "../../event-columns.js";
import { COLUMN_KINDS, type ColumnProperty, isPropertyKey, kindsWithoutColumn } from "../layout/event-layout.js";
import { chooseProperties, dropProperty, saveUnusedDays } from "./event-properties.js";
import { FileTender } from "./file-tender.js";
import { addMissing, type FillPlace, fillPage } from "./fill-columns.js";
import type { OrganizationFile } from "./organization-file.js";
import type { OrganizationFiles } from "./organization-files.js";

export interface EventColumnsOptions {
  files: OrganizationFiles;
  /** Called about a file whose columns could not be filled. It is tried again later. */
  onError(error: unknown, organizationId: string): void;
}

const LOOK_EVERY_MS = 60_000;

/**
 * Gives columns to the properties that questions use, fills them for older events page by page, and drops those that no
 * question has used for long. It works on files that are open: a file that nobody uses needs nothing.
 */
export class EventColumns {
  readonly #files: OrganizationFiles;
  readonly #places = new Map<string, FillPlace>();
  readonly #tender: FileTender;

  constructor({ files, onError }: EventColumnsOptions) {
    this.#files = files;
    this.#tender = new FileTender(files, {
      needsWork,
      tend: (file, organizationId) => this.#tend(file, organizationId),
      onError: (error, organizationId) => {
        // A filling that failed begins again.
        this.#places.delete(organizationId);
        onError(error, organizationId);
      },
      lookEveryMs: LOOK_EVERY_MS,
    });
    files.onColumnWanted(() => this.#tender.wake());
  }

  start(): void {
    this.#tender.start();
  }

  stop(): Promise<void> {
    return this.#tender.stop();
  }

  /** What the open files have. Reads memory only, and does not keep a file open. */
  list(): EventColumn[] {
    return [...this.#files.opened()].flatMap(([organizationId, { events }]) => {
      const place = this.#places.get(organizationId);
      const filled = place ? Math.min(1, place.from / Math.max(1, place.all)) : 0;
      const chosen = [...events.properties].map(
        ({ key, places, isComplete, unusedDays }): EventColumn => ({
          organizationId,
          key,
          kinds: COLUMN_KINDS.filter((kind) => places[kind] !== undefined),
          state: isComplete ? "complete" : "filling",
          filled: isComplete ? 1 : filled,
          unusedDays,
        }),
      );
      const wanted = Array.from(events.wanted, (key): EventColumn => {
        return { organizationId, key, kinds: [], state: "wanted", filled: 0, unusedDays: 0 };
      });
      return [...chosen, ...wanted];
    });
  }

  /** Does one piece: chooses and drops properties, and fills one page. Returns whether there is more to do. */
  async #tend(file: OrganizationFile, organizationId: string): Promise<boolean> {
    const { events } = file;
    await countUnusedDays(file);
    if (events.wanted.size > 0) await choose(file);
    // Kinds of values that came after a filling.
    await addMissing(
      file,
      [...events.properties].filter(({ isComplete }) => isComplete),
    );
    if ([...events.properties].some(({ isComplete }) => !isComplete)) await this.#fill(file, organizationId);
    return needsWork(file);
  }

  async #fill(file: OrganizationFile, organizationId: string): Promise<void> {
    const place = this.#places.get(organizationId) ?? (await beginFilling(file));
    const next = await fillPage(file, place);
    if (next) this.#places.set(organizationId, next);
    else this.#places.delete(organizationId);
  }
}

async function beginFilling(file: OrganizationFile): Promise<FillPlace> {
  return { target: file.events.last.number, from: 0, rows: file.events.rules.pageRows, all: await file.countEvents() };
}

/** Whether there is something to do in a file. Reads no rows. */
function needsWork({ events }: OrganizationFile): boolean {
  if (events.wanted.size > 0) return true;
  for (const property of events.properties) {
    if (!property.isComplete || isDayOver(property, Date.now()) || kindsWithoutColumn(property).length > 0) return true;
  }
  return false;
}

async function choose(file: OrganizationFile): Promise<void> {
  const { events } = file;
  const { leastEvents, mostProperties } = events.rules;
  const wanted = events.takeWanted().filter((key) => isPropertyKey(key) && events.find(key) === undefined);
  if (wanted.length === 0 || (await file.countEvents()) < leastEvents) return;
  const free = Math.max(0, mostProperties - events.size);
  // The place of one that was not used for days goes to one that is.
  const longest = [...events.properties].filter(isIdle).sort((a, b) => b.unusedDays - a.unusedDays);
  let dropped = 0;
  for (const property of longest.slice(0, Math.max(0, wanted.length - free))) {
    if (await dropProperty(file, property)) dropped += 1;
  }
  const chosen = wanted.slice(0, free + dropped);
  if (chosen.length > 0) await chooseProperties(file, chosen, Date.now());
}

const IDLE_DAYS = 2;

function isIdle({ unusedDays, isUsed }: ColumnProperty): boolean {
  return unusedDays >= IDLE_DAYS && !isUsed;
}

function isDayOver({ countedAt }: ColumnProperty, now: number): boolean {
  return now - countedAt >= DAY_MS;
}

/**
 * Counts a day for each property that no question has used in it, and drops those that were not used for long. No question can
 * still be reading their columns.
 */
async function countUnusedDays(file: OrganizationFile): Promise<void> {
  const now = Date.now();
  const { events } = file;
  const counted = [...events.properties]
    .filter((property) => isDayOver(property, now))
    .map((property) => ({ property, unusedDays: property.isUsed ? 0 : property.unusedDays + 1 }));
  if (counted.length === 0) return;
  await saveUnusedDays(file, counted, now);
  for (const { property, unusedDays } of counted) {
    if (unusedDays > events.rules.unusedDays) await dropProperty(file, property);
  }
}
