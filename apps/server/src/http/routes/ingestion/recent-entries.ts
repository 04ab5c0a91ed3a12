import { INGESTION_API, type RecentEntry, type RecentFilter as RecentQuery } from "@muster/protocol/api/ingestion";
import type { RecentFilter } from "../../../domain/entries/recent-entry.js";
import type { NumberedEntry, RecentEntries } from "../../../pipeline/recent-entries.js";
import type { App } from "../../app-type.js";
import { type Caller, ownConnectorId } from "../../auth/caller.js";

/** The entries that arrive, for people who watch. */
export function recentEntryRoutes(app: App, recent: RecentEntries): void {
  app.get(
    "/ingestion/recent",
    {
      config: { access: "connector" },
      schema: {
        tags: ["gateway"],
        summary: "The entries that are arriving now, with what became of each",
        description:
          "Entries are kept in memory while this is read, and for 10 seconds after: 300 for each set of parameters. The first call begins it, and has no entries. A server with several processes shows those of the process that answers.",
        ...INGESTION_API["GET /api/v1/ingestion/recent"],
      },
    },
    ({ caller, query }) => {
      const { entries, since, ...page } = recent.read(caller.organization.id, filterOf(query, caller), query.after);
      return { ...page, entries: entries.map(recentEntryRecord), since: new Date(since).toISOString() };
    },
  );
}

function recentEntryRecord({ at, connectorId, recordedAt, isShortened, ...entry }: NumberedEntry): RecentEntry {
  return {
    ...entry,
    at: new Date(at).toISOString(),
    connector_id: connectorId,
    recorded_at: recordedAt === null ? null : new Date(recordedAt).toISOString(),
    shortened: isShortened,
  };
}

/** A connector sees its own entries; the operator sees all of them. */
function filterOf(given: RecentQuery, caller: Caller): RecentFilter {
  const { outcome, type, event, user } = given;
  const connectorId = ownConnectorId(caller) ?? given.connector_id;
  return {
    ...(outcome === undefined ? {} : { outcome }),
    ...(type === undefined ? {} : { type }),
    ...(event === undefined ? {} : { event }),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...(user === undefined ? {} : { user }),
  };
}
