import { createHash } from "node:crypto";
import {
  type AccountClaims,
  isId,
  isObject,
  isStorableText,
  type SubjectType,
  type UserClaims,
} from "@muster/protocol";
import { MAX_ATTRIBUTES, MAX_VALUES, nameEvent, UNSTORABLE } from "../entries/admit-entry.js";
import type { Entry } from "../entries/entry.js";
import { eventSizeProblem } from "../entries/event-size.js";
import { holdsMoreThan, isTooDeep } from "../entries/unusable-json.js";
import { type FieldRole, ImportFields } from "./import-fields.js";
import { type JobObject, subjectTypeOf } from "./job.js";

/** The rules for all records of one import. */
export interface ImportRules {
  object: JobObject;
  connectorId: string;
  jobId: string;
  /** The record time of all records: when the job began. */
  at: number;
  /** When the file was given. */
  writtenAt: number;
  /** Whether values of the file replace existing ones. */
  overwrite: boolean;
  /** Whether connectors are notified. */
  notify: boolean;
  /** Attributes of every user or account. Values of the file replace them. */
  defaults: Readonly<Record<string, unknown>>;
  /** Properties of the `Imported User` event of each user; undefined when no such event is wanted. */
  announces: Readonly<Record<string, unknown>> | undefined;
}

type Json = Record<string, unknown>;
type Claims = UserClaims & AccountClaims;

const MAX_IDENTIFIER_LENGTH = 1_024;
// As many as a user has by default.
const MAX_ANONYMOUS_IDS = 1_000;

/**
 * Reads the records of an import file. In a record, identifiers and attributes are side by side. Attributes may also be
 * in an object `traits` or `attributes`, as in `{userId, accountId, traits}`. Files of extracts can be read.
 */
export class ImportReader {
  readonly #rules: ImportRules;
  readonly #fields: ImportFields;
  readonly #subjectType: SubjectType;

  constructor(rules: ImportRules) {
    this.#rules = rules;
    this.#subjectType = subjectTypeOf(rules.object);
    this.#fields = new ImportFields(this.#subjectType);
  }

  /** The entries of a record, or a sentence that says why it cannot be imported. */
  read(record: unknown, line: number): Entry[] | string {
    if (!isObject(record)) return "The record is not an object.";
    // Also cells of a CSV file may hold JSON.
    if (isTooDeep(record)) return TOO_DEEP;
    if (holdsMoreThan(record, MAX_VALUES)) return `A record holds at most ${MAX_VALUES} values.`;
    return this.#rules.object === "events" ? this.#readEvent(record, line) : this.#readSubject(record, line);
  }

  #readSubject(record: Json, line: number): Entry[] | string {
    const subjectType = this.#subjectType;
    const collected = new CollectedFields(this.#rules);
    // Fields beside `traits` and `attributes` replace the ones inside them, so they are added later.
    for (const part of [record.traits, record.attributes]) {
      if (isObject(part)) for (const key of Object.keys(part)) collected.add(this.#fields.roleOf(key), part[key]);
    }
    for (const key of Object.keys(record)) {
      const value = record[key];
      if ((key === "traits" || key === "attributes") && isObject(value)) continue;
      collected.add(this.#fields.roleOf(key), value);
    }
    const { problem, body, anonymousIds, account } = collected;
    if (problem) return problem;
    const count = Object.keys(body).length;
    if (count > MAX_ATTRIBUTES) return `A record sets at most ${MAX_ATTRIBUTES} attributes, not ${count}.`;
    if (anonymousIds.length > MAX_ANONYMOUS_IDS) {
      return `A record has at most ${MAX_ANONYMOUS_IDS} anonymous ids, not ${anonymousIds.length}.`;
    }
    const subject = collected.claims();
    if (!subject) return `The record names no ${subjectType}: it has none of ${IDENTIFIER_NAMES[subjectType]}.`;
    const entry = this.#entry("traits", subjectType, subject, body, line);
    if (account) entry.account = account;
    if (this.#rules.announces && subjectType === "user") entry.announces = this.#rules.announces;
    const others = anonymousIds.filter((id) => id !== subject.anonymous_id);
    return [entry, ...others.map((id) => this.#entry("alias", subjectType, subject, { anonymous_id: id }, line))];
  }

  #readEvent(record: Json, line: number): Entry[] | string {
    const collected = new CollectedFields(this.#rules);
    // The id of an event is not the id of its user, and the account of an event does not link its user.
    for (const key of ["userId", "external_id", "email", "anonymousId", "anonymous_id", "domain"]) {
      if (record[key] !== undefined) collected.add(this.#fields.roleOf(key), record[key]);
    }
    if (collected.problem) return collected.problem;
    const user = collected.claims() ?? (isId(record.user_id) ? { id: record.user_id } : undefined);
    if (!user) return `The event names no user: it has none of ${IDENTIFIER_NAMES.user}.`;
    const { event, properties = {}, context } = record;
    if (typeof event !== "string" || event === "") return "The record has no event: the name of what happened.";
    const tooLarge = eventSizeProblem(record);
    if (tooLarge) return tooLarge;
    if (!isStorableText(event)) return `The event holds ${UNSTORABLE}.`;
    const eventId = record.eventId ?? record.event_id;
    if (typeof eventId === "string" && !isStorableText(eventId)) return `The event_id holds ${UNSTORABLE}.`;
    const body = {
      event,
      properties: isObject(properties) ? properties : {},
      // Imports come from a server, whose address says nothing about the user.
      ip: record.ip ?? null,
      ...defined("created_at", record.timestamp ?? record.created_at),
      ...defined("event_id", eventId),
      ...defined("source", record.source ?? record.event_source),
      ...defined("type", record.type ?? record.event_type),
      ...defined("session_id", record.session_id),
      ...defined("url", record.url),
      ...defined("referer", record.referer),
    };
    const entry = this.#entry("track", "user", user, body, line);
    if (isObject(context)) entry.context = context;
    // The same line of the same file is the same event. Two equal lines are two events.
    nameEvent(entry, 0, (content) => createHash("sha1").update(`${line} ${content}`).digest("hex"));
    return [entry];
  }

  #entry(type: Entry["type"], subject: SubjectType, claims: Claims, body: Json, line: number): Entry {
    const { at, writtenAt, connectorId, jobId, overwrite, notify } = this.#rules;
    const entry: Entry = { type, at, writtenAt, connectorId, jobId, line, subject, create: true, active: false, body };
    if (subject === "user") entry.user = claims;
    else entry.account = claims;
    if (!overwrite) entry.keepExisting = true;
    if (!notify) entry.quiet = true;
    return entry;
  }
}

export const NOT_JSON = "The record is not valid JSON.";
export const TOO_DEEP = "The record is nested too deep.";

const IDENTIFIER_NAMES: Record<SubjectType, string> = {
  user: "userId, external_id, email, anonymous_id, domain, id",
  account: "accountId, external_id, domain, anonymous_id, id",
};

/** Collects the fields of one record. */
class CollectedFields {
  readonly body: Json;
  anonymousIds: string[] = [];
  /** The account of the user. */
  account: AccountClaims | undefined;
  problem: string | undefined;
  readonly #keepsExisting: boolean;
  readonly #claims: Claims = {};
  #hasClaims = false;
  #id: unknown;

  constructor({ defaults, overwrite }: ImportRules) {
    this.body = { ...defaults };
    this.#keepsExisting = !overwrite;
  }

  add({ role, name }: FieldRole, value: unknown): void {
    switch (role) {
      case "ignored":
        return;
      case "id":
        this.#id = value;
        return;
      case "identifier":
        // Only identifiers have the roles `identifier` and `identifying`.
        this.#claim(name as keyof Claims, value);
        return;
      case "identifying":
        this.#claim(name as keyof Claims, value);
        break;
      case "anonymous_ids":
        this.#addAnonymousIds(value);
        return;
      case "account_id":
        this.#link({ external_id: value });
        return;
      case "account":
        if (isObject(value)) this.#link(value);
        else this.#set(name, value);
        return;
      case "attribute":
        break;
    }
    this.#set(name, value);
  }

  /**
   * The identifiers, or undefined when there are none. The id that Muster gave counts only when there is no other
   * identifier, because in the file of another organization it would find nobody.
   */
  claims(): Claims | undefined {
    if (this.#hasClaims) return this.#claims;
    return isId(this.#id) ? { id: this.#id } : undefined;
  }

  #set(name: string, value: unknown): void {
    // A null in the file removes an existing value only when the import overwrites.
    if (value === null && this.#keepsExisting) return;
    this.body[name] = value;
  }

  #claim(name: keyof Claims, value: unknown): void {
    const text = this.#readIdentifier(name, value);
    if (text === undefined) return;
    this.#claims[name] = text;
    this.#hasClaims = true;
  }

  #addAnonymousIds(value: unknown): void {
    if (!Array.isArray(value)) return;
    const texts = value.filter((id): id is string => typeof id === "string" && id !== "");
    this.anonymousIds = texts.filter((id) => this.#readIdentifier("anonymous_id", id) !== undefined);
    if (this.#claims.anonymous_id === undefined) this.#claim("anonymous_id", this.anonymousIds[0]);
  }

  #link(given: Json): void {
    for (const name of ["external_id", "domain", "anonymous_id"] as const) {
      const text = this.#readIdentifier(name, given[name]);
      if (text !== undefined) this.account = { ...this.account, [name]: text };
    }
  }

  #readIdentifier(name: string, value: unknown): string | undefined {
    if (value === undefined || value === null) return undefined;
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string") this.problem ??= `The ${name} is not a text.`;
    else if (text.length > MAX_IDENTIFIER_LENGTH) {
      this.problem ??= `The ${name} is longer than ${MAX_IDENTIFIER_LENGTH} characters.`;
    } else if (!isStorableText(text)) this.problem ??= `The ${name} holds ${UNSTORABLE}.`;
    else if (text.trim() !== "") return text;
    return undefined;
  }
}

function defined(name: string, value: unknown): Json {
  return value === undefined || value === null ? {} : { [name]: value };
}
