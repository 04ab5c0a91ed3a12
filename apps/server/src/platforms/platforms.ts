import { Refusal } from "@muster/protocol";
import {
  type Platform,
  type PlatformFields,
  platformDomainsProblem,
  platformSettingsProblem,
} from "../domain/platforms/platform.js";
import type { Database } from "../storage/postgres/database.js";
import {
  createPlatform,
  findPlatform,
  listPlatforms,
  noteRecord,
  removePlatform,
  updatePlatform,
} from "../storage/postgres/objects/platforms.js";

/** The shortest time between two updates of when a platform has sent its last record. */
const NOTE_EVERY_MS = 5_000;

/** The sites that the browser library runs on. */
export class Platforms {
  readonly #database: Database;
  /** When the last record of each platform was noted. The oldest comes first. */
  readonly #notedAt = new Map<string, number>();

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  list(organizationId: string): Promise<Platform[]> {
    return listPlatforms(this.#database, organizationId);
  }

  find(organizationId: string, id: string): Promise<Platform | undefined> {
    return findPlatform(this.#database, organizationId, id);
  }

  async create(organizationId: string, fields: PlatformFields): Promise<Platform> {
    requireUsable(fields);
    return createPlatform(this.#database, organizationId, fields);
  }

  /** Undefined when there is no such platform. */
  async update(organizationId: string, id: string, fields: PlatformFields): Promise<Platform | undefined> {
    requireUsable(fields);
    return updatePlatform(this.#database, organizationId, id, fields);
  }

  /** Notes that a record came from a page of a platform. */
  async noteRecord(organizationId: string, { id }: Pick<Platform, "id">): Promise<void> {
    const now = performance.now();
    for (const [noted, at] of this.#notedAt) {
      if (now - at < NOTE_EVERY_MS) break;
      this.#notedAt.delete(noted);
    }
    if (this.#notedAt.has(id)) return;
    this.#notedAt.set(id, now);
    await noteRecord(this.#database, organizationId, id);
  }

  remove(organizationId: string, id: string): Promise<boolean> {
    return removePlatform(this.#database, organizationId, id);
  }
}

function requireUsable({ domains = [], settings = {} }: PlatformFields): void {
  const problem = platformDomainsProblem(domains) ?? platformSettingsProblem(settings);
  if (problem) throw new Refusal("invalid_parameter", `The platform cannot be used: ${problem}.`);
}
