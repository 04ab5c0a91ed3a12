import type { SubjectType } from "@muster/protocol";

/** The calls of the public analytics libraries. Other words for them are in `/v1/…` of the API. */
export const CALL_TYPES = ["identify", "track", "page", "screen", "group", "alias"] as const;
export type CallType = (typeof CALL_TYPES)[number];

/** The event that a view becomes. The call's name and category are properties of it. */
export const VIEW_EVENTS = { page: "Page viewed", screen: "Screen viewed" } as const;

/** Traits that Segment's specification reserves, and the standard fields that have their meaning. Other traits keep their name. */
export const FIELD_OF_TRAIT: Record<SubjectType, Readonly<Record<string, string>>> = {
  user: { firstName: "first_name", lastName: "last_name", createdAt: "created_at", avatar: "picture" },
  account: { createdAt: "created_at", avatar: "picture" },
};

/** Where the ids are kept that a page says without proof. They are attributes of the visitor and identify nobody. */
export const HINTS = { user: "claimed_user_id", account: "claimed_account_id" } as const;
