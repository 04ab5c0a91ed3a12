import { ENTRY_TYPES } from "@muster/protocol";
import { type Static, Type } from "typebox";
import { ENTRY_OUTCOMES, type RecentFilter } from "../../../domain/entries/recent-entry.js";
import type { NumberedEntry, RecentEntries } from "../../../pipeline/recent-entries.js";
import type { App } from "../../app-type.js";
import { type Caller, ownConnectorId } from "../../auth/caller.js";
import { freeObject } from "../../reference/named-schema.js";

const OptionalText = Type.Union([Type.String(), Type.Null()]);

const Query = Type.Object({
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: "The `after` of the answer before. Default: all that are kept." }),
  ),
  outcome: Type.Optional(Type.Enum([...ENTRY_OUTCOMES], { description: "What became of the entry." })),
  type: Type.Optional(Type.Enum([...ENTRY_TYPES], { description: "The type of the entry." })),
  event: Type.Optional(Type.String({ maxLength: 500, description: "The name of an event." })),
  connector_id: Type.Optional(Type.String({ description: "The operator alone; a connector sees its own." })),
  user: Type.Optional(Type.String({ maxLength: 500, description: "An identifier that the entry names its user by." })),
});

const RecentEntry = Type.Object(
  {
    number: Type.Integer(),
    at: Type.String({ description: "When Muster decided about the entry." }),
    outcome: Type.Enum([...ENTRY_OUTCOMES]),
    source: Type.Enum(["connector", "browser", "import"]),
    connector_id: Type.String(),
    type: OptionalText,
    event: Type.Union([Type.String(), Type.Null()], { description: "The name of the event of a `track` entry." }),
    code: Type.Union([Type.String(), Type.Null()], { description: "Why it was refused or rejected." }),
    message: Type.Union([Type.String(), Type.Null()], { description: "The same as a sentence." }),
    recorded_at: Type.Union([Type.String(), Type.Null()], { description: "When it happened, by the entry." }),
    user: Type.Union([freeObject("Identifiers of the user."), Type.Null()]),
    account: Type.Union([freeObject("Identifiers of the account."), Type.Null()]),
    body: Type.Union([freeObject("The body of the entry, without tokens and secrets."), Type.Null()]),
    shortened: Type.Boolean({ description: "Whether parts of the body were left out because it is large." }),
  },
  { component: "RecentEntry", description: "An entry that has just arrived, and what became of it." },
);

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
        querystring: Query,
        response: {
          200: Type.Object({
            entries: Type.Array(RecentEntry),
            after: Type.Integer({ description: "For the next call." }),
            missed: Type.Integer({ description: "How many came between two calls and were not kept." }),
            since: Type.String({ description: "When keeping began. Earlier entries are not here." }),
          }),
        },
      },
    },
    ({ caller, query }) => {
      const { entries, since, ...page } = recent.read(caller.organization.id, filterOf(query, caller), query.after);
      return { ...page, entries: entries.map(recentEntryRecord), since: new Date(since).toISOString() };
    },
  );
}

function recentEntryRecord({ at, connectorId, recordedAt, isShortened, ...entry }: NumberedEntry) {
  return {
    ...entry,
    at: new Date(at).toISOString(),
    connector_id: connectorId,
    recorded_at: recordedAt === null ? null : new Date(recordedAt).toISOString(),
    shortened: isShortened,
  };
}

/** A connector sees its own entries; the operator sees all of them. */
function filterOf(given: Static<typeof Query>, caller: Caller): RecentFilter {
  const { outcome, type, event, user } = given;
  const connectorId = ownConnectorId(caller) ?? given.connector_id;
  return {
    // The schema of the route has checked both.
    ...(outcome === undefined ? {} : { outcome: outcome as NonNullable<RecentFilter["outcome"]> }),
    ...(type === undefined ? {} : { type: String(type) }),
    ...(event === undefined ? {} : { event }),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...(user === undefined ? {} : { user }),
  };
}
