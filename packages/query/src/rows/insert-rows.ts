import type { FieldType } from "../entity.js";
import { formatAttributes, formatInstant, formatProperties, formatRow } from "./row-format.js";

/** A row to write. The highest `version` of a row wins; `deleted` takes it away. */
interface Versioned {
  readonly org: string;
  readonly version: bigint | number;
  readonly deleted?: boolean;
}

interface Reported extends Versioned {
  readonly id: string;
  readonly createdAt: Date;
  /** Report fields by key, e.g. `email`, `traits_plan`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The rendered report, JSON text. */
  readonly doc: string;
}

export interface UserRow extends Reported {
  readonly accountId: string | undefined;
}

export type AccountRow = Reported;

export interface EventRow extends Versioned {
  readonly id: string;
  readonly event: string;
  readonly createdAt: Date;
  readonly eventId: string;
  readonly userId: string;
  /** The user the event was first resolved to; merges keep it. */
  readonly originId: string;
  readonly accountId?: string | undefined;
  readonly source?: string | undefined;
  readonly type?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly anonymousId?: string | undefined;
  /** What the user acted on. */
  readonly entityId?: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly doc: string;
}

export interface MembershipRow extends Versioned {
  readonly segmentId: string;
  readonly entityId: string;
  readonly enteredAt: Date;
}

export type TypeOf = (key: string) => FieldType | undefined;

export function insertUsers(rows: readonly UserRow[], typeOf: TypeOf): string {
  return insert(
    "users (org, id, account_id, created_at, attrs, doc, version, is_deleted)",
    rows.map((row) => [
      row.org,
      row.id,
      row.accountId ?? "",
      formatInstant(row.createdAt),
      formatAttributes(row.fields, typeOf),
      row.doc,
      String(row.version),
      row.deleted ? 1 : 0,
    ]),
  );
}

export function insertAccounts(rows: readonly AccountRow[], typeOf: TypeOf): string {
  return insert(
    "accounts (org, id, created_at, attrs, doc, version, is_deleted)",
    rows.map((row) => [
      row.org,
      row.id,
      formatInstant(row.createdAt),
      formatAttributes(row.fields, typeOf),
      row.doc,
      String(row.version),
      row.deleted ? 1 : 0,
    ]),
  );
}

export function insertEvents(rows: readonly EventRow[]): string {
  return insert(
    "events (org, event, created_at, id, event_id, user_id, origin_id, account_id, source, type, session_id, anonymous_id, entity_id, properties, context, doc, version, is_deleted)",
    rows.map((row) => [
      row.org,
      row.event,
      formatInstant(row.createdAt),
      row.id,
      row.eventId,
      row.userId,
      row.originId,
      row.accountId ?? "",
      row.source ?? "",
      row.type ?? "",
      row.sessionId ?? "",
      row.anonymousId ?? "",
      row.entityId ?? "",
      formatProperties(row.properties),
      formatProperties(row.context),
      row.doc,
      String(row.version),
      row.deleted ? 1 : 0,
    ]),
  );
}

export function insertMemberships(rows: readonly MembershipRow[]): string {
  return insert(
    "memberships (org, segment_id, entity_id, entered_at, version, is_deleted)",
    rows.map((row) => [
      row.org,
      row.segmentId,
      row.entityId,
      formatInstant(row.enteredAt),
      String(row.version),
      row.deleted ? 1 : 0,
    ]),
  );
}

/** The settings keep the JSON columns from guessing dates in text; with the statement, nobody can forget them. */
function insert(target: string, rows: readonly (readonly (string | number)[])[]): string {
  const settings = "settings input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0";
  return `insert into ${target} ${settings} format TabSeparated\n${rows.map((row) => `${formatRow(row)}\n`).join("")}`;
}
