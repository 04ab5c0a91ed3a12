import { Refusal } from "@muster/protocol";
import type { LogLocation } from "@muster/protocol/api/operations";
import { LANES } from "../domain/entries/lanes.js";
import type { Organization } from "../domain/organizations/organization.js";
import type { IngestionLog, LogKind } from "../storage/ingest-log/ingestion-log.js";
import { readHomes } from "../storage/ingest-log/postgres/log-homes.js";
import { listInTruncated } from "../storage/ingest-log/postgres/log-streams.js";
import { isDraining } from "../storage/ingest-log/postgres/relocate-log.js";
import type { Database } from "../storage/postgres/database.js";
import { backlogOf, readApplyCursors } from "../storage/postgres/ingest/apply-cursors.js";
import { listOrganizations } from "../storage/postgres/objects/organizations.js";

export interface LogRelocationsOptions {
  database: Database;
  log: Pick<IngestionLog, "move" | "renew">;
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
      is_truncated: (await listInTruncated(database)).includes(id),
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
    const { log, is_truncated } = await this.show(organization);
    if (is_truncated && to === "postgres" && !options.abandon) {
      throw new Refusal(
        "conflict",
        "The stream was truncated. Run `muster log renew` first, which loses nothing more.",
      );
    }
    if (log !== to) await this.#options.log.move(organization.id, to, options);
    return this.show(organization);
  }

  /**
   * Begins to put logs into new streams, or goes on with it: that of an organization, or all that are in truncated
   * streams.
   */
  async renew(scope: Pick<Organization, "id" | "namespace"> | "all"): Promise<LogLocation[]> {
    const { log } = this.#options;
    const organizations = scope === "all" ? await this.#listConcerned() : [scope];
    const locations: LogLocation[] = [];
    for (const organization of organizations) {
      const { log: kind } = await this.show(organization);
      if (kind === "postgres")
        throw new Refusal("conflict", "The ingestion log of this organization is in PostgreSQL.");
      await log.renew(organization.id);
      locations.push(await this.show(organization));
    }
    return locations;
  }

  async #listConcerned(): Promise<Organization[]> {
    const { database } = this.#options;
    const ids = new Set(await listInTruncated(database));
    return (await listOrganizations(database)).filter(({ id }) => ids.has(id));
  }
}
