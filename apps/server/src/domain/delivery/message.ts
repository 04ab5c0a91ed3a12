import type { EventRecord, SubjectType } from "@muster/protocol";
import { attributeName } from "@muster/query";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import type { AttributeChanges } from "../changes/change-set.js";
import { isNews, type News, type SubjectNews } from "../changes/news.js";
import type { StoredEvent } from "../events/stored-event.js";
import type { Report } from "../profiles/report.js";
import { accountChanges, allChanges } from "./account-changes.js";

/** The segments a subject entered and left, as ids: their records are filled in when the message is sent. */
export interface StoredSegmentChanges {
  entered: string[];
  left: string[];
}

/** A message about changes to a user or account, as it is stored for all subscriptions. Each gets a version of its own. */
export interface StoredUpdate {
  message_id: string;
  kind: SubjectType;
  entity: Report & { id: string };
  segment_ids: string[];
  changes: {
    is_new: boolean;
    attributes: AttributeChanges;
    segments: StoredSegmentChanges;
    /** When the message was made, if the subject has entered or left segments. Older messages in the queues lack it. */
    moved_at?: string;
  };
  /** Only in messages about a user: its new events, and its account with the changes made there at the same time. */
  events?: EventRecord[];
  account?: UserAccount;
}

/** The account of a user, empty when the user was unlinked, and its changes, which may also name the account before. */
export interface UserAccount {
  entity: Report;
  segment_ids: string[];
  attributes: AttributeChanges;
  segments: StoredSegmentChanges;
}

/** A notice: a message that is not about changes to a subject but, for example, a changed segment. It is sent as it is. */
export interface StoredNotice {
  message_id: string;
  kind: "notice";
  entity_id: string;
  body: Record<string, unknown>;
  /**
   * What is sent instead of the body. `connector`: the connector's own record, which has secrets that no queue may hold.
   * `nothing`: the subject of the message was erased.
   */
  sends?: "connector" | "nothing";
}

/**
 * A message: what a connector is told about one object. A notification is one call to a connector, with one message or
 * more.
 */
export type StoredMessage = StoredUpdate | StoredNotice;

export function objectIdOf(message: StoredMessage): string {
  return message.kind === "notice" ? message.entity_id : message.entity.id;
}

/** The report and the segments of a subject at one moment. */
export interface SubjectState {
  report: Report;
  segmentIds: string[];
}

export interface UpdateContext {
  /** A prefix of the ids of all messages of one step. It stays the same if the step is repeated. */
  step: string;
  /** When the messages are made. */
  now: Date;
  /** They say which changes of attributes are sent. */
  definitions: Record<SubjectType, AttributeDefinitions>;
  /** The states of the users and accounts in the news, and of the accounts of these users now and before. */
  states: Record<SubjectType, ReadonlyMap<string, SubjectState>>;
}

/** A message for each user or account in the news, if anything of it may be sent. */
export function updateMessages(kind: SubjectType, news: News, context: UpdateContext): StoredUpdate[] {
  return [...news[kind].values()].flatMap((subject) => {
    const state = context.states[kind].get(subject.id);
    const attributes = visibleChanges(kind, allChanges(subject), context.definitions[kind]);
    if (!state || !isNews({ ...subject, changes: attributes })) return [];
    const message: StoredUpdate = {
      message_id: `${context.step}-${subject.id}`,
      kind,
      entity: { ...state.report, id: subject.id, segment_ids: state.segmentIds },
      segment_ids: state.segmentIds,
      changes: {
        is_new: subject.isNew,
        attributes,
        segments: segmentChanges(subject),
        ...(subject.entered.length + subject.left.length > 0 ? { moved_at: context.now.toISOString() } : {}),
      },
    };
    if (kind === "account") return [message];
    message.events = subject.events.map(eventRecord);
    const accountId = typeof state.report.account_id === "string" ? state.report.account_id : undefined;
    const account = accountId === undefined ? undefined : context.states.account.get(accountId);
    const changed = accountChanges(subject, news, accountId, (id) => context.states.account.get(id)?.report);
    const accountAttributes = visibleChanges("account", changed, context.definitions.account);
    if (account || Object.keys(accountAttributes).length > 0) {
      message.account = {
        ...accountPart(account),
        attributes: accountAttributes,
        segments: segmentChanges(accountId === undefined ? undefined : news.account.get(accountId)),
      };
    }
    return [message];
  });
}

/** The ids of the segments that a message names. */
export function segmentsOfMessage(message: StoredMessage): string[] {
  if (message.kind === "notice") return [];
  const { segment_ids: ids, changes, account } = message;
  const moves = [changes.segments, ...(account ? [account.segments] : [])];
  return [...ids, ...(account?.segment_ids ?? []), ...moves.flatMap(({ entered, left }) => [...entered, ...left])];
}

/** How the ids of messages begin that somebody has sent to try a connector. No figure counts them. */
export const TEST_MESSAGE = "test-";

export function isTestMessage(messageId: string): boolean {
  return messageId.startsWith(TEST_MESSAGE);
}

/** Messages with the present state of users or accounts and without changes: for an export. */
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

/** The same message with another state of its subject: for a message that is sent again after a while. */
export function withState(message: StoredUpdate, state: SubjectState, account: SubjectState | undefined): StoredUpdate {
  const { account: before, ...rest } = message;
  const present = {
    ...rest,
    entity: { ...state.report, id: message.entity.id, segment_ids: state.segmentIds },
    segment_ids: state.segmentIds,
  };
  if (message.kind === "account" || !(account || before)) return present;
  const { attributes = {}, segments = { entered: [], left: [] } } = before ?? {};
  // The user may have another account by now, or none. Then the message only says that the user was linked or unlinked.
  const isSame = before === undefined || before.entity.id === account?.report.id;
  const link: AttributeChanges = attributes.id ? { id: attributes.id } : {};
  return {
    ...present,
    account: {
      ...accountPart(account),
      attributes: isSame ? attributes : link,
      segments: isSame ? segments : { entered: [], left: [] },
    },
  };
}

/** The account of a user in a message: empty when the user has none any more. */
function accountPart(account: SubjectState | undefined): Pick<UserAccount, "entity" | "segment_ids"> {
  if (!account) return { entity: {}, segment_ids: [] };
  return { entity: { ...account.report, segment_ids: account.segmentIds }, segment_ids: account.segmentIds };
}

/** Leaves out the changes of attributes that are hidden, or whose changes are not tracked. */
export function visibleChanges(
  kind: SubjectType,
  changes: AttributeChanges,
  definitions: AttributeDefinitions,
): AttributeChanges {
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
