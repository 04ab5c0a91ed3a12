import { isId, type SubjectType } from "@muster/protocol";
import { type AccountRow, type EventRow, insertAccounts, insertEvents, insertUsers, type UserRow } from "@muster/query";
import type { AttributeDefinitions } from "../../domain/attribute-definitions.js";
import type { EventKey, StoredEvent } from "../../domain/change-set.js";
import type { Profile } from "../../domain/profile.js";
import { ALL_VISIBLE, type Report, reportOf } from "../../domain/report.js";
import { attributeType } from "../../domain/standard-fields.js";
import type { ClickHouse } from "../../engines/clickhouse.js";

/** A profile with the version it was stored under. */
export interface VersionedProfile {
  profile: Profile;
  version: number;
}

// An insert travels as one statement; this many documents are some tens of megabytes.
const ROWS_PER_INSERT = 10_000;

/** A report with what its row needs besides. */
export interface ReportDocument {
  report: Report;
  accountId: string | undefined;
  version: number;
}

/** Hidden attributes are in it and are taken out when it is read: showing one again must bring it back at once. */
export function documentOf({ profile, version }: VersionedProfile, now: number): ReportDocument {
  return { report: reportOf(profile, ALL_VISIBLE, now), accountId: profile.accountId, version };
}

/** Writes the documents of users or accounts. Writing an older version, or the same twice, is harmless. */
export async function writeDocuments(
  clickhouse: ClickHouse,
  kind: SubjectType,
  organizationId: string,
  documents: readonly ReportDocument[],
  definitions: AttributeDefinitions,
): Promise<void> {
  const typeOf = (key: string) => attributeType(kind, key, definitions);
  for (const part of inParts(documents)) {
    const rows = part.map(
      ({ report, accountId, version }): UserRow => ({
        org: organizationId,
        id: String(report.id),
        accountId,
        createdAt: new Date(String(report.created_at)),
        fields: report,
        version,
      }),
    );
    await clickhouse.command(kind === "user" ? insertUsers(rows, typeOf) : insertAccounts(rows, typeOf));
  }
}

/** Takes documents away: of profiles that were merged into others, or erased. */
export async function removeDocuments(
  clickhouse: ClickHouse,
  kind: SubjectType,
  organizationId: string,
  ids: readonly string[],
  version: number,
): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map((id): UserRow & AccountRow => ({
    org: organizationId,
    id,
    accountId: undefined,
    createdAt: new Date(0),
    fields: {},
    version,
    deleted: true,
  }));
  await clickhouse.command(
    kind === "user" ? insertUsers(rows, () => undefined) : insertAccounts(rows, () => undefined),
  );
}

export interface VersionedEvent {
  event: StoredEvent;
  version: number;
}

export async function writeEvents(
  clickhouse: ClickHouse,
  organizationId: string,
  events: readonly VersionedEvent[],
): Promise<void> {
  for (const part of inParts(events)) {
    const rows = part.map(({ event, version }): EventRow => {
      const { origin_id, ...doc } = event;
      return {
        org: organizationId,
        id: event.id,
        event: event.event,
        createdAt: new Date(event.created_at),
        eventId: event.event_id,
        userId: event.user_id,
        originId: origin_id,
        accountId: event.account_id ?? "",
        source: event.event_source,
        type: event.event_type,
        sessionId: event.session_id ?? "",
        anonymousId: event.anonymous_id ?? "",
        entityId: event.entity_id,
        properties: event.properties,
        context: event.context,
        doc: JSON.stringify(doc),
        version,
      };
    });
    await clickhouse.command(insertEvents(rows));
  }
}

/** Takes rows of events away that a later record has overwritten. */
export async function removeEvents(
  clickhouse: ClickHouse,
  organizationId: string,
  keys: readonly EventKey[],
  version: number,
): Promise<void> {
  if (keys.length === 0) return;
  await clickhouse.command(
    insertEvents(
      keys.map(({ id, event, createdAt }) => ({
        org: organizationId,
        id,
        event,
        createdAt: new Date(createdAt),
        eventId: "",
        userId: "",
        originId: "",
        properties: {},
        context: {},
        doc: "",
        version,
        deleted: true,
      })),
    ),
  );
}

/** Gives the events of merged users to their survivors. Rows keep their key, so a second time changes nothing. */
export async function moveEvents(
  clickhouse: ClickHouse,
  organizationId: string,
  moves: readonly { loser: string; survivor: string }[],
  version: number,
): Promise<void> {
  if (moves.length === 0) return;
  await clickhouse.command(
    `insert into events (org, event, created_at, id, event_id, user_id, origin_id, account_id, source, type,
                         session_id, anonymous_id, entity_id, properties, context, doc, version, is_deleted)
     select org, event, created_at, id, event_id,
            transform(toString(user_id), {losers:Array(String)}, {survivors:Array(String)}, '') as survivor,
            origin_id, account_id, source, type, session_id, anonymous_id, entity_id, properties, context,
            replaceOne(doc, concat('"user_id":"', toString(user_id), '"'), concat('"user_id":"', survivor, '"')),
            {version:UInt64}, 0
     from events final
     where org = {org:String} and user_id in {losers:Array(String)}`,
    {
      org: organizationId,
      losers: moves.map(({ loser }) => loser),
      survivors: moves.map(({ survivor }) => survivor),
      version,
    },
  );
}

const TABLES = ["users", "accounts", "events", "memberships"] as const;

/** Takes away everything of an organization. Each has partitions of its own, so this is quick however much it is. */
export async function dropOrganization(clickhouse: ClickHouse, organizationId: string): Promise<void> {
  for (const table of TABLES) {
    // A statement about partitions takes no parameters; the id is one of ours and nothing but hex digits.
    if (!isId(organizationId)) throw new Error(`"${organizationId}" is no id.`);
    await clickhouse.command(`alter table ${table} drop partition '${organizationId}'`);
  }
}

/**
 * Erases the events and memberships of subjects, whose former ids must be among `ids`: a row that a merge moved has an
 * older version under the former id, which would come to light again. An account's own events have no user.
 */
export async function eraseEvents(
  clickhouse: ClickHouse,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const params = { org: organizationId, ids };
  await clickhouse.command(
    `delete from events
     where org = {org:String}
       and (user_id in {ids:Array(String)} or origin_id in {ids:Array(String)}
         or (source = 'platform' and account_id in {ids:Array(String)}))`,
    params,
  );
  await clickhouse.command(
    "delete from memberships where org = {org:String} and entity_id in {ids:Array(String)}",
    params,
  );
}

/** Takes every version of the documents of subjects away, also those that later ones have replaced. */
export async function eraseDocuments(
  clickhouse: ClickHouse,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const table of ["users", "accounts"]) {
    await clickhouse.command(`delete from ${table} where org = {org:String} and id in {ids:Array(String)}`, {
      org: organizationId,
      ids,
    });
  }
}

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += ROWS_PER_INSERT) yield items.slice(start, start + ROWS_PER_INSERT);
}
