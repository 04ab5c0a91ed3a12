import type { Merge as MergeRecord, TimelineItem, Writer as WriterRecord } from "@muster/protocol/api/history";
import type { DeliveryTrace } from "../../domain/delivery/delivery-trace.js";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import type { MergeCause } from "../../domain/identity/merge-cause.js";
import { changesIn } from "../../domain/profiles/attribute-history.js";
import type { Identifiers } from "../../domain/profiles/profile.js";
import type { Comment } from "../../storage/postgres/objects/comments.js";
import type { MergeRow } from "../../storage/postgres/profiles/merge-rows.js";
import type { WindowRow } from "../../storage/postgres/read-window.js";
import { kindOf } from "./subject-events.js";

export type TimelineKind = TimelineItem["kind"];

type WriterOf = (source: string | undefined) => WriterRecord | null;

/** An event of the question engine on a timeline. `causeOf` finds why a user was merged. */
export function eventItem(
  event: StoredEvent,
  writerOf: WriterOf,
  causeOf: (mergedId: string) => MergeCause | null,
  isHidden: (name: string) => boolean,
): TimelineItem {
  const { id, created_at: at, properties } = event;
  const kind = kindOf(event);
  switch (kind) {
    case "change": {
      const changes = [...changesIn(event)]
        .filter(([name]) => !isHidden(name))
        .map(([name, { from, to, source }]) => ({ name, from, to, written_by: writerOf(source) }));
      return { id, at, kind, changes };
    }
    case "segment":
      return {
        id,
        at,
        kind,
        segment_id: String(properties.segment_id),
        segment_name: String(properties.segment_name),
        entered: event.event.startsWith("Entered"),
      };
    case "merge": {
      const mergedId = String(properties.merged_id);
      const identifiers = (properties.merged_identifiers ?? {}) as Identifiers;
      return {
        id,
        at,
        kind,
        merged_id: mergedId,
        merged_identifiers: identifiers,
        cause: reasonOf(causeOf(mergedId), writerOf),
      };
    }
    case "unmerge":
      return {
        id,
        at,
        kind,
        survivor_id: String(properties.user_id),
        unmerged_id: String(properties.unmerged_id),
        unmerged_identifiers: (properties.unmerged_identifiers ?? {}) as Identifiers,
      };
    case "event":
      return {
        id,
        at,
        kind,
        event: event.event,
        source: event.event_source,
        type: event.event_type,
        user_id: event.user_id,
        session_id: event.session_id,
        anonymous_id: event.anonymous_id,
        properties,
        context: event.context,
      };
  }
}

export function deliveryItem({ row_id: id, ...trace }: WindowRow<DeliveryTrace>, writerOf: WriterOf): TimelineItem {
  return {
    id,
    at: trace.sentAt.toISOString(),
    kind: "delivery",
    connector_id: trace.connectorId,
    connector_name: writerOf(trace.connectorId)?.connector_name ?? null,
    channel: trace.channel,
    result: trace.result,
    status: trace.status,
    duration_ms: trace.durationMs,
    reason: trace.reason,
    reported: trace.isReported,
    body: trace.body,
    notification_id: trace.notificationId,
    message_id: trace.messageId,
  };
}

export function mergeRecord({ loserId, identifiers, cause }: MergeRow, writerOf: WriterOf): MergeRecord {
  return { merged_id: loserId, merged_identifiers: identifiers, cause: reasonOf(cause, writerOf) };
}

export function mergeItem(merge: MergeRow, writerOf: WriterOf): TimelineItem {
  return { id: merge.loserId, at: merge.mergedAt.toISOString(), kind: "merge", ...mergeRecord(merge, writerOf) };
}

export function commentItem({ id, createdAt, text, authorId, authorName }: Comment): TimelineItem {
  return { id, at: createdAt.toISOString(), kind: "comment", text, user_id: authorId, author_name: authorName };
}

function reasonOf(cause: MergeCause | null, writerOf: WriterOf): MergeRecord["cause"] {
  if (!cause) return null;
  const { kind, value, at, source } = cause;
  return {
    identifier: kind,
    value,
    recorded_at: at === undefined ? null : new Date(at).toISOString(),
    written_by: writerOf(source),
  };
}
