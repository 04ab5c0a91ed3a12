import type { EventRecord, SubjectType } from "@muster/protocol";
import { attributeName } from "@muster/query";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import type { AttributeChanges, StoredEvent } from "../changes/change-set.js";
import { isNews, type SubjectNews } from "../changes/news.js";
import type { Report } from "../changes/report.js";

/** Segments in stored messages are ids: their records are filled in when a message is sent. */
export interface StoredSegmentChanges {
  entered: string[];
  left: string[];
}

/** A user or account as it is told, before it is tailored to a subscription. */
export interface StoredUpdate {
  message_id: string;
  kind: SubjectType;
  entity: Report & { id: string };
  segment_ids: string[];
  changes: { is_new: boolean; attributes: AttributeChanges; segments: StoredSegmentChanges };
  /** Of a user: its events, and its account with what changed there at the same time. */
  events?: EventRecord[];
  account?: { entity: Report; segment_ids: string[]; attributes: AttributeChanges; segments: StoredSegmentChanges };
}

/** Anything else that is told: sent as it is. */
export interface StoredNotice {
  message_id: string;
  kind: "notice";
  entity_id: string;
  body: Record<string, unknown>;
}

export type StoredMessage = StoredUpdate | StoredNotice;

export function objectIdOf(message: StoredMessage): string {
  return message.kind === "notice" ? message.entity_id : message.entity.id;
}

/** A subject as it is now. */
export interface SubjectState {
  report: Report;
  segmentIds: string[];
}

export interface UpdateContext {
  /** Tells the messages of one step from those of others, the same whenever the step is told again. */
  step: string;
  /** What may be told of a subject's attributes. */
  definitions: Record<SubjectType, AttributeDefinitions>;
  /** The state of users and accounts that there is news about, and of the accounts of users. */
  states: Record<SubjectType, ReadonlyMap<string, SubjectState>>;
}

/** The messages about users or accounts that there is something to tell about. */
export function updateMessages(
  kind: SubjectType,
  news: Record<SubjectType, ReadonlyMap<string, SubjectNews>>,
  context: UpdateContext,
): StoredUpdate[] {
  return [...news[kind].values()].flatMap((told) => {
    const state = context.states[kind].get(told.id);
    const attributes = tellable(kind, told.changes, context.definitions[kind]);
    if (!state || !isNews({ ...told, changes: attributes })) return [];
    const message: StoredUpdate = {
      message_id: `${context.step}-${told.id}`,
      kind,
      entity: { ...state.report, id: told.id, segment_ids: state.segmentIds },
      segment_ids: state.segmentIds,
      changes: { is_new: told.isNew, attributes, segments: segmentChanges(told) },
    };
    if (kind === "account") return [message];
    message.events = told.events.map(eventRecord);
    const accountId = state.report.account_id;
    const account = typeof accountId === "string" ? context.states.account.get(accountId) : undefined;
    if (account) {
      const accountNews = news.account.get(String(accountId));
      message.account = {
        entity: { ...account.report, segment_ids: account.segmentIds },
        segment_ids: account.segmentIds,
        attributes: tellable("account", accountNews?.changes ?? {}, context.definitions.account),
        segments: segmentChanges(accountNews),
      };
    }
    return [message];
  });
}

/** Messages that tell how users or accounts are, with no news: for an export. */
export function snapshotMessages(
  kind: SubjectType,
  ids: readonly string[],
  states: UpdateContext["states"],
  step: string,
): StoredUpdate[] {
  const nothing = { entered: [], left: [] };
  return ids.flatMap((id) => {
    const state = states[kind].get(id);
    if (!state) return [];
    const accountId = state.report.account_id;
    const account = typeof accountId === "string" ? states.account.get(accountId) : undefined;
    const message: StoredUpdate = {
      message_id: `${step}-${id}`,
      kind,
      entity: { ...state.report, id },
      segment_ids: state.segmentIds,
      changes: { is_new: false, attributes: {}, segments: nothing },
      ...(kind === "user" ? { events: [] } : {}),
    };
    return [withState(message, state, account)];
  });
}

/** The same message about the state of now: for a message that is sent again after a while. */
export function withState(message: StoredUpdate, state: SubjectState, account: SubjectState | undefined): StoredUpdate {
  return {
    ...message,
    entity: { ...state.report, id: message.entity.id, segment_ids: state.segmentIds },
    segment_ids: state.segmentIds,
    ...(account && message.kind === "user"
      ? {
          account: {
            attributes: message.account?.attributes ?? {},
            segments: message.account?.segments ?? { entered: [], left: [] },
            entity: { ...account.report, segment_ids: account.segmentIds },
            segment_ids: account.segmentIds,
          },
        }
      : {}),
  };
}

/** Changes of attributes that are hidden, or whose changes are not tracked, are not told. */
function tellable(kind: SubjectType, changes: AttributeChanges, definitions: AttributeDefinitions): AttributeChanges {
  return Object.fromEntries(
    Object.entries(changes).filter(([key]) => {
      const definition = definitions.get(attributeName(kind, key));
      return definition?.visible !== false && definition?.trackChanges !== false;
    }),
  );
}

function segmentChanges(news: SubjectNews | undefined): StoredSegmentChanges {
  return { entered: news?.entered ?? [], left: news?.left ?? [] };
}

function eventRecord(event: StoredEvent): EventRecord {
  return {
    event: event.event,
    event_id: event.event_id,
    event_source: event.event_source,
    event_type: event.event_type,
    created_at: event.created_at,
    user_id: event.user_id,
    anonymous_id: event.anonymous_id,
    session_id: event.session_id,
    properties: event.properties,
    context: event.context,
  };
}
