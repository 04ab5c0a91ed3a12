import type { LogLocation } from "@muster/protocol/api/operations";
import { LANES } from "../domain/entries/lanes.js";
import type { Organization } from "../domain/organizations/organization.js";
import type { IngestionLog, LogKind } from "../storage/ingest-log/ingestion-log.js";
import { readHomes } from "../storage/ingest-log/postgres/log-homes.js";
import { isDraining } from "../storage/ingest-log/postgres/relocate-log.js";
import type { Database } from "../storage/postgres/database.js";
import { backlogOf, readApplyCursors } from "../storage/postgres/ingest/apply-cursors.js";

export interface LogRelocationsOptions {
  database: Database;
  log: Pick<IngestionLog, "move">;
}

/** Moves the ingestion logs of organizations between PostgreSQL and NATS. */
export class LogRelocations {
  readonly #options: LogRelocationsOptions;

  constructor(options: LogRelocationsOptions) {
    this.#options = options;
  }

  async show({ id, namespace }: Pick<Organization, "id" | "namespace">): Promise<LogLocation> {
    const { database } = this.#options;
    const homes = await readHomes(database, id);
    const present = homes[homes.length - 1]!;
    const left = homes.slice(0, -1);
    const isBehind = isDraining(left, await readApplyCursors(database, id, LANES));
    return {
      organization: namespace,
      log: present.stream ? "nats" : "postgres",
      stream: present.stream?.name ?? null,
      state: present.closingAt ? "closing" : isBehind ? "draining" : "present",
      waiting_entries: await backlogOf(database, id),
    };
  }

  /** Begins a move, or goes on with one. It can be asked again until the log is where it should be. */
  async move(
    organization: Pick<Organization, "id" | "namespace">,
    to: LogKind,
    options: { abandon: boolean },
  ): Promise<LogLocation> {
    const { log } = await this.show(organization);
    if (log !== to) await this.#options.log.move(organization.id, to, options);
    return this.show(organization);
  }
}
