import type { SubjectType } from "@muster/protocol";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import type { AttributeChanges } from "../changes/change-set.js";
import { addChanges, addMove, type News } from "../changes/news.js";
import { allChanges } from "./account-changes.js";
import {
  type StoredSegmentChanges,
  type StoredUpdate,
  type SubjectState,
  visibleChanges,
  withState,
} from "./message.js";

/** What changed in an account. */
export interface AccountChanges {
  attributes: AttributeChanges;
  segments: StoredSegmentChanges;
}

/** The accounts in the news that connectors may be told about with messages about their users. */
export function accountNews(news: News, definitions: AttributeDefinitions): Map<string, AccountChanges> {
  const found = new Map<string, AccountChanges>();
  for (const account of news.account.values()) {
    // The users of a new account were linked to it just now, so there are messages about them anyway.
    if (account.isNew) continue;
    const { id, entered, left } = account;
    const attributes = visibleChanges("account", allChanges(account), definitions);
    const told = { attributes, segments: { entered, left } };
    if (!isNothing(told)) found.set(id, told);
  }
  return found;
}

/** Two changes of an account as one, from the first value to the last. */
export function joinChanges(first: AccountChanges, second: AccountChanges): AccountChanges {
  const attributes = { ...first.attributes };
  addChanges(attributes, second.attributes);
  const segments = { entered: [...first.segments.entered], left: [...first.segments.left] };
  for (const id of second.segments.entered) addMove(segments, id, "entered");
  for (const id of second.segments.left) addMove(segments, id, "left");
  return { attributes, segments };
}

/** There is nothing to tell when every value was changed back to what it was. */
export function isNothing({ attributes, segments: { entered, left } }: AccountChanges): boolean {
  return Object.keys(attributes).length === 0 && entered.length === 0 && left.length === 0;
}

/** Messages about users of an account whose own data did not change. */
export function messagesAboutUsers(
  userIds: readonly string[],
  account: SubjectState,
  changes: AccountChanges,
  states: Record<SubjectType, ReadonlyMap<string, SubjectState>>,
  step: string,
): StoredUpdate[] {
  return userIds.flatMap((id) => {
    const state = states.user.get(id);
    if (!state) return [];
    const message: StoredUpdate = {
      message_id: `${step}-${id}`,
      kind: "user",
      entity: { ...state.report, id },
      segment_ids: state.segmentIds,
      changes: { is_new: false, attributes: {}, segments: { entered: [], left: [] } },
      events: [],
      account: { entity: account.report, segment_ids: account.segmentIds, ...changes },
    };
    return [withState(message, state, account)];
  });
}
