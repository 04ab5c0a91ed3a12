import type { AccountUpdateMessage, SegmentRecord, UserUpdateMessage } from "@muster/protocol";

const NO_SEGMENT_CHANGES = { entered: [], left: [] };
const CREATED_AT = "2026-01-01T00:00:00.000Z";

/**
 * A `user:update` message. Parts that you do not give are those of an update without changes.
 *
 * @example
 * userMessage({ user: { id: "1", email: "ada@example.com" }, events: [] });
 */
export function userMessage(
  given: Omit<Partial<UserUpdateMessage>, "changes"> & { changes?: Partial<UserUpdateMessage["changes"]> } = {},
): UserUpdateMessage {
  const { segments = [], account_segments: accountSegments = [], changes, ...rest } = given;
  return {
    message_id: "message-1",
    user: { id: "0198c2a4f1d010a1b2c3d4e5" },
    account: {},
    events: [],
    matchesFilter: true,
    ...rest,
    segments,
    segment_ids: segments.map(({ id }) => id),
    account_segments: accountSegments,
    account_segment_ids: accountSegments.map(({ id }) => id),
    changes: {
      is_new: false,
      user: {},
      account: {},
      segments: NO_SEGMENT_CHANGES,
      account_segments: NO_SEGMENT_CHANGES,
      ...changes,
    },
  };
}

/** An `account:update` message, with the same defaults. */
export function accountMessage(
  given: Omit<Partial<AccountUpdateMessage>, "changes"> & { changes?: Partial<AccountUpdateMessage["changes"]> } = {},
): AccountUpdateMessage {
  const { account_segments: segments = [], changes, ...rest } = given;
  return {
    message_id: "message-1",
    account: { id: "0198c2a4f1d011a1b2c3d4e5" },
    matchesFilter: true,
    ...rest,
    account_segments: segments,
    account_segment_ids: segments.map(({ id }) => id),
    changes: { is_new: false, account: {}, account_segments: NO_SEGMENT_CHANGES, ...changes },
  };
}

export function segmentRecord(given: Partial<SegmentRecord> & { id: string }): SegmentRecord {
  return {
    name: `Segment ${given.id}`,
    type: "users_segment",
    query: { match_all: {} },
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    ...given,
  };
}
