import type { RenamedEvents, UnmergedSubjects } from "../../../../domain/changes/change-set.js";
import type { EventKey } from "../../../../domain/events/stored-event.js";
import { inParts } from "../../../../runtime/loops/in-parts.js";
import { docRenames } from "../../doc-renames.js";
import type { ProjectedEvent } from "../../projection.js";
import { serialiseEvent } from "../../serialise.js";
import type { Statements } from "../client/statements.js";
import { type EventRow, insertEvents } from "./insert-rows.js";

export interface VersionedEvent {
  event: ProjectedEvent;
  version: number;
}

const ROWS_PER_INSERT = 10_000;

export async function writeEvents(
  statements: Statements,
  organizationId: string,
  events: readonly VersionedEvent[],
): Promise<void> {
  for (const part of inParts(events, ROWS_PER_INSERT)) {
    await statements.run(insertEvents(part.map((event) => rowOf(organizationId, event))));
  }
}

function rowOf(organizationId: string, { event, version }: VersionedEvent): EventRow {
  return {
    org: organizationId,
    id: event.id,
    event: event.event,
    createdAt: new Date(event.created_at),
    eventId: event.event_id,
    userId: event.user_id,
    originId: event.origin_id,
    accountId: event.account_id ?? "",
    source: event.event_source,
    type: event.event_type,
    sessionId: event.session_id ?? "",
    anonymousId: event.anonymous_id ?? "",
    entityId: event.entity_id,
    properties: event.properties,
    context: event.context,
    doc: serialiseEvent(event),
    version,
  };
}

/** Deletes event rows that a later record has overwritten. */
export async function removeEvents(
  statements: Statements,
  organizationId: string,
  keys: readonly EventKey[],
  version: number,
): Promise<void> {
  if (keys.length === 0) return;
  await statements.run(
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

/** Moves the events of merged users to their survivors. Rows keep their key, so doing it twice changes nothing. */
export async function moveEvents(
  statements: Statements,
  organizationId: string,
  moves: readonly { loser: string; survivor: string }[],
  version: number,
): Promise<void> {
  if (moves.length === 0) return;
  await statements.run(
    `insert into events (org, event, created_at, id, event_id, user_id, origin_id, account_id, source, type,
                         session_id, anonymous_id, entity_id, properties, context, doc, version, is_deleted)
     select org, event, created_at, id, event_id,
            transform(toString(user_id), {losers:Array(String)}, {survivors:Array(String)}, '') as survivor,
            origin_id, account_id, source, type, session_id, anonymous_id, entity_id, properties, context,
            replaceOne(doc, concat('"user_id":"', toString(user_id), '"'), concat('"user_id":"', survivor, '"')),
            {version:UInt64}, 0
     from events final
     where org = {org:FixedString(24)} and user_id in {losers:Array(FixedString(24))}`,
    {
      org: organizationId,
      losers: moves.map(({ loser }) => loser),
      survivors: moves.map(({ survivor }) => survivor),
      version,
    },
  );
}

/** Gives the events of a user whose merge is undone back to it, by their origin. Rows keep their key, so doing it twice changes nothing. */
export async function returnEvents(
  statements: Statements,
  organizationId: string,
  { kind, survivor, restored, origins }: UnmergedSubjects,
  version: number,
): Promise<void> {
  if (kind !== "user") return;
  await statements.run(
    `insert into events (org, event, created_at, id, event_id, user_id, origin_id, account_id, source, type,
                         session_id, anonymous_id, entity_id, properties, context, doc, version, is_deleted)
     select org, event, created_at, id, event_id, {restored:FixedString(24)},
            origin_id, account_id, source, type, session_id, anonymous_id, entity_id, properties, context,
            replaceOne(doc, {before:String}, {after:String}), {version:UInt64}, 0
     from events final
     where org = {org:FixedString(24)} and user_id = {survivor:FixedString(24)}
       and origin_id in {origins:Array(FixedString(24))}`,
    {
      org: organizationId,
      survivor,
      restored,
      origins,
      before: `"user_id":"${survivor}"`,
      after: `"user_id":"${restored}"`,
      version,
    },
  );
}

/** Gives events with a name another one. The name is part of a row's key, so the old rows are deleted. */
export async function renameEvents(
  statements: Statements,
  organizationId: string,
  names: RenamedEvents,
  version: number,
): Promise<void> {
  const { from, into } = names;
  // Rows that a rule writes have the new name, so no other rule finds them.
  for (const { old, renamed, unlessFollowedBy = "" } of docRenames(names)) {
    // Only the first occurrence is the field of the event. A property may have the same name and value.
    const place = "position(doc, {named:String})";
    const rows = `org = {org:FixedString(24)} and event = {from:String}
      and startsWith(substring(doc, ${place}), {old:String})
      and ({next:String} = '' or not startsWith(substring(doc, ${place} + length({old:String})), {next:String}))`;
    const params = { org: organizationId, from, into, version, old, renamed, next: unlessFollowedBy };
    const named = `"event":${JSON.stringify(from)}`;
    await statements.run(
      `insert into events (org, event, created_at, id, event_id, user_id, origin_id, account_id, source, type,
                           session_id, anonymous_id, entity_id, properties, context, doc, version, is_deleted)
       select org, {into:String}, created_at, id, event_id, user_id, origin_id, account_id, source, type,
              session_id, anonymous_id, entity_id, properties, context,
              replaceOne(doc, {old:String}, {renamed:String}), {version:UInt64}, 0
       from events final
       where ${rows}`,
      { ...params, named },
    );
    await statements.run(
      `insert into events (org, event, created_at, id, user_id, origin_id, account_id, source, version, is_deleted)
       select org, event, created_at, id, user_id, origin_id, account_id, source, {version:UInt64}, 1
       from events final
       where ${rows}`,
      { ...params, named },
    );
  }
}
