import type { Channel, SubjectType } from "@muster/protocol";
import { loadSegments } from "../../audience/segments/known-segments.js";
import { loadSubjectStates } from "../../audience/subjects/subject-states.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import { addressMessages, type ChannelMessages, countAddressed } from "../../deliveries/messages/address-messages.js";
import type { SegmentMoves } from "../../domain/changes/change-set.js";
import { gatherNews, type News } from "../../domain/changes/news.js";
import { type AccountChanges, accountNews, joinChanges } from "../../domain/delivery/account-news.js";
import { type StoredNotice, updateMessages } from "../../domain/delivery/message.js";
import { channelName } from "../../domain/delivery/subscription.js";
import { readChangeHead } from "../../storage/postgres/changes/changes.js";
import type { Database, Transaction } from "../../storage/postgres/database.js";
import type { Revisions } from "../../storage/postgres/definitions/revisions.js";
import { lockNewsToBegin, saveNews } from "../../storage/postgres/delivery/account-news.js";
import {
  appendToOutbox,
  lockNotifyCursor,
  type NotifyCursor,
  readNotifyCursor,
  saveNotifyCursor,
} from "../../storage/postgres/delivery/outbox.js";
import { noteWithheld } from "../../storage/postgres/delivery/withheld.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";
import type { RecordedMoves } from "../evaluate/moves-ahead.js";
import type { ShownStates } from "./shown-states.js";

/** How long a change of an account waits for further changes before connectors get messages about its users. */
const ACCOUNT_NEWS_WAIT_MS = 10_000;

export interface NotifyOptions {
  database: Database;
  questions: Questions;
  maxAttributes: number;
  directory: ConnectorDirectory;
  shown: ShownStates;
  /** Called once messages wait in the queues of these connectors. */
  onQueued(connectorIds: Iterable<string>): void;
}

/** Consecutive changes and what belongs to them. */
export interface NotifyRequest {
  changes: readonly UnprojectedChange[];
  /** The moves that the changes caused. */
  evaluations: readonly RecordedMoves[];
  /** The notify cursor when the step began. */
  notified: NotifyCursor;
  /** What the organization had defined when the step began. */
  revisions: Revisions | undefined;
}

/**
 * The notify stage: queues messages for the connectors of an organization about consecutive changes and the moves they caused: one
 * message per user or account, in the queue of each connector that subscribes to it. The notify cursor says which
 * changes are queued already, so that repeating the step after a crash queues nothing twice. Without a subscribed
 * connector, nothing is done.
 */
export async function notifyChanges(
  options: NotifyOptions,
  organizationId: string,
  lease: WorkLease,
  { changes, evaluations, notified, revisions }: NotifyRequest,
): Promise<void> {
  const { database, directory, onQueued } = options;
  const subscribers = directory.subscribersOf(organizationId);
  const last = changes.at(-1)?.sequence;
  if (subscribers.length === 0 || last === undefined) return;
  for (let cursor = notified; ; cursor = await readNotifyCursor(database, organizationId)) {
    const { sequence } = cursor;
    const ahead = new Set(cursor.ahead);
    const isUnqueued = (logged: { sequence: number }) => logged.sequence > sequence && !ahead.has(logged.sequence);
    const moves = evaluations.filter(isUnqueued).flatMap((evaluation) => evaluation.moves);
    const step = { changes: changes.filter(isUnqueued), moves, sequence: last, subscribers, revisions };
    const { messages, accounts } = await announce(options, organizationId, step);
    const addressed = messages.map((announcement) => {
      const sent = addressMessages(announcement, subscribers);
      return { ...sent, counted: countAddressed(announcement, sent, subscribers) };
    });
    const batches = addressed.flatMap((each) => each.batches);
    const counted = addressed.flatMap((each) => each.counted);
    const told = accounts.size === 0 ? [] : subscribers.filter(isToldOfAccounts).map(({ connector }) => connector.id);
    const moved = { before: cursor, after: advance(cursor, last, evaluations) };
    // A process that had the lease before may have queued some of it in the meantime. Then the messages are made again.
    const queued = await queue(database, organizationId, lease, moved, async (tx) => {
      await Promise.all([
        appendToOutbox(tx, organizationId, batches, counted),
        addNews(tx, organizationId, told, accounts),
      ]);
    });
    if (!queued) continue;
    await noteWithheld(
      database,
      organizationId,
      addressed.flatMap((each) => each.withheld),
    );
    const recipients = batches.flatMap((batch) => batch.recipients.map(({ connectorId }) => connectorId));
    const connectorIds = new Set([...recipients, ...told]);
    if (connectorIds.size > 0) onQueued(connectorIds);
    return;
  }
}

/** The cursor after a step. The evaluations are later in the log than the changes and are queued with them: `ahead`. */
function advance({ sequence, ahead }: NotifyCursor, last: number, evaluations: readonly RecordedMoves[]): NotifyCursor {
  const sequences = [...ahead, ...evaluations.map((evaluation) => evaluation.sequence)];
  return {
    sequence: Math.max(last, sequence),
    ahead: [...new Set(sequences)].filter((later) => later > last),
  };
}

/** Appends and advances the cursor in one transaction. False when another process has advanced the cursor. */
async function queue(
  database: Database,
  organizationId: string,
  lease: WorkLease,
  { before, after }: { before: NotifyCursor; after: NotifyCursor },
  append: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    // Statements that are called together are sent in one round trip, and run in this order.
    const [, sequence] = await Promise.all([lease.confirm(tx), lockNotifyCursor(tx, organizationId)]);
    if (sequence !== before.sequence) return false;
    await Promise.all([append(tx), saveNotifyCursor(tx, organizationId, after)]);
    return true;
  });
}

/**
 * Adds changes of accounts to what waits for connectors that are told of them with messages about their users. Several
 * changes of an account within a short time become one.
 */
async function addNews(
  tx: Transaction,
  organizationId: string,
  connectorIds: readonly string[],
  accounts: ReadonlyMap<string, AccountChanges>,
): Promise<void> {
  if (connectorIds.length === 0 || accounts.size === 0) return;
  const waiting = await lockNewsToBegin(tx, organizationId, connectorIds, [...accounts.keys()]);
  const known = new Map(waiting.map((news) => [`${news.connectorId} ${news.accountId}`, news.changes]));
  const added = connectorIds.flatMap((connectorId) =>
    [...accounts].map(([accountId, changes]) => {
      const before = known.get(`${connectorId} ${accountId}`);
      return { connectorId, accountId, changes: before ? joinChanges(before, changes) : changes };
    }),
  );
  await saveNews(tx, organizationId, added, ACCOUNT_NEWS_WAIT_MS);
}

function isToldOfAccounts({ connector, subscriptions }: ListedConnector): boolean {
  return connector.notifyUsersOfAccount && subscriptions.some((one) => channelName(one, "user:update") !== undefined);
}

interface Step {
  changes: readonly UnprojectedChange[];
  moves: readonly SegmentMoves[];
  /** Part of the ids of the messages. */
  sequence: number;
  subscribers: readonly ListedConnector[];
  revisions: Revisions | undefined;
}

/** The messages about a step, by channel, and the accounts whose users may have to be told of. */
async function announce(
  options: NotifyOptions,
  organizationId: string,
  { changes, moves, sequence, subscribers, revisions }: Step,
): Promise<{ messages: ChannelMessages[]; accounts: ReadonlyMap<string, AccountChanges> }> {
  const { database, shown } = options;
  // Moves that a sweep found, or that a crash kept from being queued with their cause.
  const late = changes.flatMap(({ change }) => change.evaluation?.moves ?? []);
  const news = gatherNews(
    changes.map(({ change }) => change),
    await withoutDeletedSegments(database, organizationId, [...late, ...moves], revisions),
  );
  const { user, account, deleted } = news;
  if (user.size === 0 && account.size === 0 && deleted.length === 0) return { messages: [], accounts: new Map() };
  const known = shown.usable(organizationId, changes);
  const idsFor = (channel: Channel, ids: Iterable<string>) => (isSubscribed(channel, subscribers) ? [...ids] : []);
  const users = idsFor("user:update", user.keys());
  const accountsBefore = users.flatMap((id) => user.get(id)?.changes.account_id?.[0] ?? []).map(String);
  const wanted = { user: users, account: [...idsFor("account:update", account.keys()), ...accountsBefore] };
  const purposes = [...new Set(subscribers.flatMap(({ connector }) => connector.purposes))];
  const before = { known, revisions, purposes };
  const { states, definitions, agreements } = await loadSubjectStates(options, organizationId, wanted, before);
  const read = [...states.user.keys(), ...states.account.keys()].filter((id) => !known.has(id));
  const head = read.length === 0 ? 0 : await readChangeHead(database, organizationId);
  shown.note(organizationId, read, { last: sequence, head });
  const context = { step: String(sequence), now: new Date(), states, definitions };
  const messages: ChannelMessages[] = [
    { channel: "account:update", messages: updateMessages("account", news, context) },
    { channel: "user:update", messages: updateMessages("user", news, context), agreements },
    { channel: "user:delete", messages: deletions("user", deleted, sequence) },
    { channel: "account:delete", messages: deletions("account", deleted, sequence) },
  ];
  return { messages, accounts: accountNews(news, definitions.account) };
}

function isSubscribed(channel: Channel, subscribers: readonly ListedConnector[]): boolean {
  return subscribers.some(({ subscriptions }) =>
    subscriptions.some((subscription) => channelName(subscription, channel) !== undefined),
  );
}

/**
 * Removes moves of deleted segments: connectors get one notice that the segment was deleted, and none for each member.
 */
async function withoutDeletedSegments(
  database: Database,
  organizationId: string,
  moves: readonly SegmentMoves[],
  revisions: Revisions | undefined,
): Promise<SegmentMoves[]> {
  if (moves.length === 0) return [];
  const ids = new Set((await loadSegments(database, organizationId, revisions)).map(({ id }) => id));
  return moves.filter(({ segmentId }) => ids.has(segmentId));
}

function deletions(subjectType: SubjectType, deleted: News["deleted"], sequence: number): StoredNotice[] {
  return deleted
    .filter(({ kind }) => kind === subjectType)
    .map(({ id }) => {
      const messageId = `${sequence}-${id}`;
      const body = { message_id: messageId, [subjectType]: { id } };
      return { message_id: messageId, kind: "notice", entity_id: id, body };
    });
}
