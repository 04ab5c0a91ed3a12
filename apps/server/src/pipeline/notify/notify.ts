import type { Channel, SubjectType } from "@muster/protocol";
import { loadSubjectStates, type SubjectStatesOptions } from "../../audience/subject-states.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import { addressMessages, type ChannelMessages } from "../../deliveries/address-messages.js";
import type { MembershipMove } from "../../domain/changes/change-set.js";
import { gatherNews, type News } from "../../domain/changes/news.js";
import { type StoredNotice, updateMessages } from "../../domain/delivery/message.js";
import { channelName } from "../../domain/delivery/subscription.js";
import type { Profile } from "../../domain/identity/profile.js";
import type { LoggedChange } from "../../storage/postgres/changes/changes.js";
import {
  appendToOutbox,
  lockNotifyCursor,
  readNotifyCursor,
  saveNotifyCursor,
} from "../../storage/postgres/delivery/outbox.js";
import { listSegments } from "../../storage/postgres/segments/segments.js";

export interface NotifyOptions extends SubjectStatesOptions {
  directory: ConnectorDirectory;
  /** Called once messages wait in the queues of these connectors. */
  onQueued(connectorIds: Iterable<string>): void;
}

/** Who entered and left segments because of the changes, and the changes of its own that evaluation made of that. */
export interface Evaluated {
  moves: readonly MembershipMove[];
  sequences: readonly number[];
}

type PendingChange = LoggedChange & { profiles?: readonly Profile[] };

/**
 * Tells the connectors of an organization about consecutive changes and the moves they caused: one message per user or
 * account, in the queues of those who want it. What was told before is passed over, so calling it again after a crash
 * tells nobody twice. Without a subscribed connector it costs nothing.
 */
export async function notifyChanges(
  options: NotifyOptions,
  organizationId: string,
  changes: readonly PendingChange[],
  evaluated: Evaluated,
): Promise<void> {
  const { database, directory } = options;
  const subscribers = directory.subscribersOf(organizationId);
  const last = changes.at(-1)?.sequence;
  if (subscribers.length === 0 || last === undefined) return;
  for (;;) {
    const cursor = await readNotifyCursor(database, organizationId);
    const untold = changes.filter(({ sequence }) => sequence > cursor.sequence && !cursor.ahead.includes(sequence));
    const step = { changes: untold, moves: evaluated.moves, sequence: last, subscribers };
    const announcements = await announce(options, organizationId, step);
    const batches = announcements.flatMap((announcement) => addressMessages(announcement, subscribers));
    const wasFirst = await database.transaction(async (tx) => {
      // Another process may have told some of it in the meantime.
      if ((await lockNotifyCursor(tx, organizationId)) !== cursor.sequence) return false;
      await appendToOutbox(tx, organizationId, batches);
      await saveNotifyCursor(tx, organizationId, {
        sequence: Math.max(last, cursor.sequence),
        ahead: [...cursor.ahead.filter((sequence) => sequence > last), ...evaluated.sequences],
      });
      return true;
    });
    if (!wasFirst) continue;
    const queued = new Set(batches.flatMap(({ recipients }) => recipients.map(({ connectorId }) => connectorId)));
    if (queued.size > 0) options.onQueued(queued);
    return;
  }
}

interface Step {
  changes: readonly PendingChange[];
  moves: readonly MembershipMove[];
  /** Names the step in its messages. */
  sequence: number;
  subscribers: readonly ListedConnector[];
}

async function announce(
  options: NotifyOptions,
  organizationId: string,
  { changes, moves, sequence, subscribers }: Step,
): Promise<ChannelMessages[]> {
  // Moves that a sweep found, or that a crash kept from being told with their cause.
  const late = changes.flatMap(({ change }) => change.evaluation?.moves ?? []);
  const news = gatherNews(
    changes.map(({ change }) => change),
    await existing(options, organizationId, [...late, ...moves]),
  );
  const { user, account, deleted } = news;
  if (user.size === 0 && account.size === 0 && deleted.length === 0) return [];
  const known = new Map(
    changes.flatMap(({ profiles = [] }) => profiles.map((profile) => [profile.id, profile] as const)),
  );
  const idsFor = (channel: Channel, ids: Iterable<string>) => (isTaken(channel, subscribers) ? [...ids] : []);
  const wanted = { user: idsFor("user:update", user.keys()), account: idsFor("account:update", account.keys()) };
  const { states, definitions } = await loadSubjectStates(options, organizationId, wanted, known);
  const context = { step: String(sequence), states, definitions };
  return [
    { channel: "account:update", messages: updateMessages("account", news, context) },
    { channel: "user:update", messages: updateMessages("user", news, context) },
    { channel: "user:delete", messages: deletions("user", deleted, sequence) },
    { channel: "account:delete", messages: deletions("account", deleted, sequence) },
  ];
}

function isTaken(channel: Channel, subscribers: readonly ListedConnector[]): boolean {
  return subscribers.some(({ subscriptions }) =>
    subscriptions.some((subscription) => channelName(subscription, channel) !== undefined),
  );
}

/** Members of a segment that was deleted have left it, but that it was deleted is told at once and says it all. */
async function existing(
  { database }: NotifyOptions,
  organizationId: string,
  moves: readonly MembershipMove[],
): Promise<MembershipMove[]> {
  if (moves.length === 0) return [];
  const ids = new Set((await listSegments(database, organizationId)).map(({ id }) => id));
  return moves.filter(({ segmentId }) => ids.has(segmentId));
}

function deletions(kind: SubjectType, deleted: News["deleted"], sequence: number): StoredNotice[] {
  return deleted
    .filter((gone) => gone.kind === kind)
    .map(({ id }) => {
      const messageId = `${sequence}-${id}`;
      return { message_id: messageId, kind: "notice", entity_id: id, body: { message_id: messageId, [kind]: { id } } };
    });
}
