import type { UserUpdateMessage } from "@muster/protocol";

/** An event as `user:update` messages carry it. */
export function orderPlaced(userId: string): UserUpdateMessage["events"][number] {
  return {
    event: "Order placed",
    event_id: "e1",
    event_source: "shop",
    event_type: "track",
    created_at: "2026-01-01T00:00:00.000Z",
    user_id: userId,
    anonymous_id: null,
    session_id: null,
    properties: { total: 120 },
    context: {},
  };
}
