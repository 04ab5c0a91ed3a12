import type { EventTimesProgress } from "../../event-columns.js";
import type { Engine } from "../engine/engine.js";
import { FileTender } from "../engine/file-tender.js";
import type { OrganizationFile } from "../engine/organization-file.js";
import type { OrganizationFiles } from "../engine/organization-files.js";
import { TIMES_RULES, type TimesRules } from "../layout/event-times.js";
import { keepTimes } from "./keep-times.js";

export interface TimesKeeperOptions {
  engine: Engine;
  files: OrganizationFiles;
  /** Other rules in tests. */
  rules?: TimesRules | undefined;
  /** Called about a file whose times could not be kept. It is tried again later. */
  onError(error: unknown, organizationId: string): void;
}

/** Keeps the times of the events of open files, piece by piece. */
export class TimesKeeper {
  readonly #options: TimesKeeperOptions;
  readonly #rules: TimesRules;
  /** How many writes a file without times had at the last look. */
  readonly #looks = new WeakMap<OrganizationFile, number>();
  readonly #tender: FileTender;

  constructor(options: TimesKeeperOptions) {
    this.#options = options;
    this.#rules = options.rules ?? TIMES_RULES;
    const { engine, files, onError } = options;
    this.#tender = new FileTender(files, {
      needsWork: (file) => this.#mayNeedWork(file),
      tend: (file) => keepTimes(engine, file, this.#rules),
      onError,
      lookEveryMs: this.#rules.lookEveryMs,
    });
  }

  start(): void {
    this.#tender.start();
  }

  stop(): Promise<void> {
    return this.#tender.stop();
  }

  /** How far the times of open files are. */
  list(): EventTimesProgress[] {
    return [...this.#options.files.opened()].flatMap(([organizationId, { times }]) =>
      times === undefined
        ? []
        : {
            organizationId,
            unread: times.unread,
            runs: times.read.length,
            entries: times.read.reduce((sum, { entries }) => sum + entries, 0),
            isSettled: !times.hasWork(this.#rules),
          },
    );
  }

  /** A file without times is looked at again when it was written since the last look. */
  #mayNeedWork(file: OrganizationFile): boolean {
    if (file.times) return file.times.hasWork(this.#rules);
    const isWritten = this.#looks.get(file) !== file.writes;
    this.#looks.set(file, file.writes);
    return isWritten;
  }
}
