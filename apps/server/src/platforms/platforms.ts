import type { Platform, PlatformFields } from "../domain/platforms/platform.js";
import type { Database } from "../storage/postgres/database.js";
import {
  createPlatform,
  findPlatform,
  listPlatforms,
  removePlatform,
  updatePlatform,
} from "../storage/postgres/objects/platforms.js";

/** The sites that the browser library runs on. */
export class Platforms {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  list(organizationId: string): Promise<Platform[]> {
    return listPlatforms(this.#database, organizationId);
  }

  find(organizationId: string, id: string): Promise<Platform | undefined> {
    return findPlatform(this.#database, organizationId, id);
  }

  create(organizationId: string, fields: PlatformFields): Promise<Platform> {
    return createPlatform(this.#database, organizationId, fields);
  }

  /** Undefined when there is no such platform. */
  update(organizationId: string, id: string, fields: PlatformFields): Promise<Platform | undefined> {
    return updatePlatform(this.#database, organizationId, id, fields);
  }

  remove(organizationId: string, id: string): Promise<boolean> {
    return removePlatform(this.#database, organizationId, id);
  }
}
