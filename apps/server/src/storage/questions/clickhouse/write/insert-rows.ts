import type { FieldType } from "@muster/query";
import { formatCell, formatInstant, formatJsonCell, formatProperties, reportSerialiser } from "./row-format.js";

/** A version of a row. The highest version counts; with `deleted` the row is deleted. */
interface Versioned {
  readonly org: string;
  readonly version: bigint | number;
  readonly deleted?: boolean;
}

interface Reported extends Versioned {
  readonly id: string;
  readonly createdAt: Date;
  /** Report fields by key, for example `email` or `traits_plan`. */
  readonly fields: Readonly<Record<string, unknown>>;
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
  /** The user that the event was first resolved to. Merges do not change it. */
  readonly originId: string;
  readonly accountId?: string | undefined;
  readonly source?: string | undefined;
  readonly type?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly anonymousId?: string | undefined;
  /** The entity that the user acted on. */
  readonly entityId?: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly doc: string;
}

export interface MembershipRow extends Versioned {
  readonly segmentId: string;
  readonly subjectId: string;
  readonly enteredAt: Date;
}

export type PathTypeOf = (key: string) => FieldType | undefined;

export function insertUsers(rows: readonly UserRow[], typeOf: PathTypeOf): string {
  const serialise = reportSerialiser(typeOf);
  return insert(
    "users (org, id, account_id, created_at, attrs, doc, version, is_deleted)",
    rows,
    ({ org, id, accountId = "", createdAt, fields, version, deleted }) => {
      const { attrs, doc } = serialise(fields);
      const cells = `${formatInstant(createdAt)}\t${formatJsonCell(attrs)}\t${formatJsonCell(doc)}`;
      return `${org}\t${id}\t${formatCell(accountId)}\t${cells}\t${version}\t${deleted ? 1 : 0}\n`;
    },
  );
}

export function insertAccounts(rows: readonly AccountRow[], typeOf: PathTypeOf): string {
  const serialise = reportSerialiser(typeOf);
  return insert(
    "accounts (org, id, created_at, attrs, doc, version, is_deleted)",
    rows,
    ({ org, id, createdAt, fields, version, deleted }) => {
      const { attrs, doc } = serialise(fields);
      const cells = `${formatInstant(createdAt)}\t${formatJsonCell(attrs)}\t${formatJsonCell(doc)}`;
      return `${org}\t${id}\t${cells}\t${version}\t${deleted ? 1 : 0}\n`;
    },
  );
}

export function insertEvents(rows: readonly EventRow[]): string {
  return insert(
    "events (org, event, created_at, id, event_id, user_id, origin_id, account_id, source, type, session_id, anonymous_id, entity_id, properties, context, doc, version, is_deleted)",
    rows,
    (row) => {
      const { org, id, userId, originId, accountId = "", version, deleted } = row;
      const { source = "", type = "", sessionId = "", anonymousId = "", entityId = "" } = row;
      const key = `${org}\t${formatCell(row.event)}\t${formatInstant(row.createdAt)}\t${id}\t${formatCell(row.eventId)}`;
      const who = `${userId}\t${originId}\t${formatCell(accountId)}`;
      const how = `${formatCell(source)}\t${formatCell(type)}\t${formatCell(sessionId)}\t${formatCell(anonymousId)}`;
      const bags = `${formatJsonCell(formatProperties(row.properties))}\t${formatJsonCell(formatProperties(row.context))}`;
      const what = `${formatCell(entityId)}\t${bags}\t${formatJsonCell(row.doc)}`;
      return `${key}\t${who}\t${how}\t${what}\t${version}\t${deleted ? 1 : 0}\n`;
    },
  );
}

export function insertMemberships(rows: readonly MembershipRow[]): string {
  return insert(
    "memberships (org, segment_id, entity_id, entered_at, version, is_deleted)",
    rows,
    ({ org, segmentId, subjectId, enteredAt, version, deleted }) =>
      `${org}\t${segmentId}\t${subjectId}\t${formatInstant(enteredAt)}\t${version}\t${deleted ? 1 : 0}\n`,
  );
}

/** The settings prevent JSON columns from reading texts as dates. They are part of the statement, so no insert can be without them. */
function insert<Row>(target: string, rows: readonly Row[], line: (row: Row) => string): string {
  const settings = "settings input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0";
  let statement = `insert into ${target} ${settings} format TabSeparated\n`;
  for (const row of rows) statement += line(row);
  return statement;
}
