// Lists without schemas: the dashboard shows them, and its bundle should not contain the schema library.

import type { JobObject } from "./jobs.js";

/** What a column of an import file can be. */
export const COLUMN_ROLES = ["identifier", "attribute", "property", "field", "ignore"] as const;

const USER_IDENTIFIERS = [
  "external_id",
  "email",
  "anonymous_id",
  "domain",
  "id",
  "account.external_id",
  "account.domain",
] as const;

/** The identifiers that a column can be. `account.…` links a user to an account. Events are about users. */
export const IDENTIFIER_COLUMNS: Record<JobObject, readonly string[]> = {
  users: USER_IDENTIFIERS,
  accounts: ["external_id", "domain", "anonymous_id", "id"],
  events: USER_IDENTIFIERS,
};

/** The fields of an event that a column of an import can be. */
export const EVENT_COLUMNS: readonly string[] = [
  "event",
  "created_at",
  "event_id",
  "source",
  "type",
  "session_id",
  "url",
  "referer",
  "ip",
];

/** The fields of an event that an extract writes as columns. */
export const EXTRACTED_EVENT_FIELDS: readonly string[] = [
  "id",
  "event",
  "event_id",
  "event_source",
  "event_type",
  "created_at",
  "user_id",
  "account_id",
  "anonymous_id",
  "session_id",
  "properties",
  "context",
];
