import { createHash } from "node:crypto";
import {
  ACCOUNT_IDENTIFIERS,
  type AccountClaims,
  isId,
  type SubjectType,
  USER_IDENTIFIERS,
  type UserClaims,
} from "@muster/protocol";
import { isTooDeep } from "../unusable-json.js";
import { nameEvent } from "./admit-entry.js";
import type { Entry } from "./entry.js";
import { bareName, isKeptField } from "./standard-fields.js";

/** What holds for every record of one import. */
export interface ImportRules {
  object: "users" | "accounts" | "events";
  connectorId: string;
  jobId: string;
  /** Record time of everything imported: when the job began. */
  at: number;
  /** The import wins over what is there; else what is there wins. */
  overwrite: boolean;
  /** Connectors are told. */
  notify: boolean;
  /** Attributes of every user or account, under what the file says. */
  defaults: Readonly<Record<string, unknown>>;
  /** Properties of the event that tells of each imported user, when there is to be one. */
  announces: Readonly<Record<string, unknown>> | undefined;
}

type Fields = Record<string, unknown>;

const MAX_IDENTIFIER_LENGTH = 1_024;

/** Names that files of other tools use for identifiers. */
const SYNONYMS: Record<string, string> = { userId: "external_id", anonymousId: "anonymous_id" };

/**
 * The entries that a record of an import file stands for, or a sentence saying why it cannot be imported. A record is
 * flat (identifiers and attributes side by side, objects `traits` and `attributes` folded in), or `{userId, accountId,
 * traits}`; what an extract wrote can be read back.
 */
export function readImportRecord(record: unknown, line: number, rules: ImportRules): Entry[] | string {
  if (!isObject(record)) return "The record is not an object.";
  if (isTooDeep(record)) return "The record is nested too deep.";
  switch (rules.object) {
    case "users":
      return readSubject("user", record, line, rules);
    case "accounts":
      return readSubject("account", record, line, rules);
    case "events":
      return readEvent(record, line, rules);
  }
}

function readSubject(kind: SubjectType, record: Fields, line: number, rules: ImportRules): Entry[] | string {
  const fields = foldIn(kind, record);
  const anonymousIds = takeAnonymousIds(fields);
  if (kind === "account") rename(fields, "accountId", "external_id");
  const subject = readIdentifiers(kind, fields);
  if (typeof subject === "string") return subject;
  if (!subject) return `The record names no ${kind}: it has none of ${identifierNames(kind)}.`;
  const account = kind === "user" ? takeAccount(fields) : undefined;
  if (typeof account === "string") return account;

  const entry: Entry = {
    ...entryOf(kind, line, rules),
    type: "traits",
    [kind]: subject,
    ...(account ? { account } : {}),
    body: attributesOf(kind, fields, rules),
    ...(rules.announces && kind === "user" ? { announces: rules.announces } : {}),
  };
  const aliases = anonymousIds
    .filter((id) => id !== subject.anonymous_id)
    .map(
      (id): Entry => ({
        ...entryOf(kind, line, rules),
        type: "alias",
        [kind]: subject,
        body: { anonymous_id: id },
      }),
    );
  return [entry, ...aliases];
}

function readEvent(record: Fields, line: number, rules: ImportRules): Entry[] | string {
  const fields: Fields = { ...record };
  // The ids of an event and of its user are not the user's identifiers, unless there is no other.
  const userId = fields.user_id;
  for (const name of ["id", "user_id"]) delete fields[name];
  if (userId !== undefined && userId !== null) fields.id = userId;
  for (const [from, to] of Object.entries(SYNONYMS)) rename(fields, from, to);
  const user = readIdentifiers("user", fields);
  if (typeof user === "string") return user;
  if (!user) return `The event names no user: it has none of ${identifierNames("user")}.`;
  const { event, properties, context } = fields;
  if (typeof event !== "string" || event === "") return "The record has no event: the name of what happened.";
  const entry: Entry = {
    ...entryOf("user", line, rules),
    type: "track",
    user,
    body: {
      event,
      properties: isObject(properties) ? properties : {},
      // Imports come from a server: there is nobody to locate.
      ip: fields.ip ?? null,
      ...defined("created_at", fields.timestamp ?? fields.created_at),
      ...defined("event_id", fields.eventId ?? fields.event_id),
      ...defined("source", fields.source ?? fields.event_source),
      ...defined("type", fields.type ?? fields.event_type),
      ...defined("session_id", fields.session_id),
      ...defined("url", fields.url),
      ...defined("referer", fields.referer),
    },
    ...(isObject(context) ? { context } : {}),
  };
  // The same file again tells the same events; two lines that say the same are two events.
  nameEvent(entry, 0, (content) => createHash("sha1").update(`${line} ${content}`).digest("hex"));
  return [entry];
}

function entryOf(subject: SubjectType, line: number, { connectorId, jobId, at, overwrite, notify }: ImportRules) {
  return {
    at,
    connectorId,
    jobId,
    line,
    subject,
    create: true,
    active: false,
    ...(overwrite ? {} : { keepExisting: true as const }),
    ...(notify ? {} : { quiet: true as const }),
  };
}

/** One flat object by bare names; what stands beside `traits` or `attributes` wins over what stands in them. */
function foldIn(kind: SubjectType, record: Fields): Fields {
  const fields: Fields = {};
  for (const part of [record.traits, record.attributes, record]) {
    if (!isObject(part)) continue;
    for (const key of Object.keys(part)) {
      const isFolded = part === record && (key === "traits" || key === "attributes") && isObject(part[key]);
      if (!isFolded) fields[bareName(kind, SYNONYMS[key] ?? key)] = part[key];
    }
  }
  return fields;
}

/** Reports list anonymous ids; one identifies, the others are added. */
function takeAnonymousIds(fields: Fields): string[] {
  const { anonymous_ids: listed } = fields;
  const ids = Array.isArray(listed) ? listed.filter((id): id is string => typeof id === "string" && id !== "") : [];
  if (isAbsent(fields.anonymous_id) && ids[0] !== undefined) fields.anonymous_id = ids[0];
  return ids;
}

/** The account that a user is to be linked to: by `accountId`, or by the identifiers of an embedded `account`. */
function takeAccount(fields: Fields): AccountClaims | string | undefined {
  const { accountId, account } = fields;
  delete fields.accountId;
  if (!isAbsent(accountId)) return readIdentifiers("account", { external_id: accountId });
  if (!isObject(account)) return undefined;
  const claims = readIdentifiers("account", account);
  // An embedded account is no attribute of the user, whether or not it names one.
  delete fields.account;
  return claims;
}

/**
 * The identifiers among the fields, or what is wrong with one, or undefined when there is none. Our own id counts only
 * where nothing else tells who is meant: in another organization's file it would find nobody.
 */
function readIdentifiers(kind: SubjectType, fields: Fields): UserClaims | string | undefined {
  const claims: UserClaims = {};
  for (const name of kind === "user" ? USER_IDENTIFIERS : ACCOUNT_IDENTIFIERS) {
    const given = fields[name];
    if (name === "id" || isAbsent(given)) continue;
    const text = typeof given === "number" ? String(given) : given;
    if (typeof text !== "string") return `The ${name} is not a text.`;
    if (text.length > MAX_IDENTIFIER_LENGTH) return `The ${name} is longer than ${MAX_IDENTIFIER_LENGTH} characters.`;
    if (text.includes("\0")) return `The ${name} holds a NUL character.`;
    if (text.trim() !== "") claims[name] = text;
  }
  if (Object.keys(claims).length > 0) return claims;
  return isId(fields.id) ? { id: fields.id } : undefined;
}

/** What is left to be set: not what identifies alone, nor what the platform keeps itself (extracts hold that too). */
function attributesOf(kind: SubjectType, fields: Fields, { defaults, overwrite }: ImportRules): Fields {
  const body: Fields = { ...defaults };
  for (const name of Object.keys(fields)) {
    if (name === "external_id" || name === "anonymous_id" || isKeptField(kind, name)) continue;
    // Nothing in the file does not take away what is there, unless the file is to win.
    if (fields[name] === null && !overwrite) continue;
    body[name] = fields[name];
  }
  return body;
}

function identifierNames(kind: SubjectType): string {
  return kind === "user"
    ? "userId, external_id, email, anonymous_id, domain, id"
    : "accountId, external_id, domain, anonymous_id, id";
}

function rename(fields: Fields, from: string, to: string): void {
  if (!isAbsent(fields[from]) && isAbsent(fields[to])) fields[to] = fields[from];
  delete fields[from];
}

function defined(name: string, value: unknown): Fields {
  return value === undefined || value === null ? {} : { [name]: value };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
